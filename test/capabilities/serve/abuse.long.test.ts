import { expect } from "vitest";
import { manyAccounts, startSimNode } from "../../../sim/index.ts";
import { test } from "../../support/test.ts";
import { abuseAll, askWell } from "./support/abuse.ts";
import { startServeProcess } from "./support/serve-process.ts";
import { crawl } from "./support/served-archive.ts";

const SECONDS = 8;

test("every good client is answered while others misbehave in every way at once", async ({ place }) => {
  const db = place.file("archive.db");
  const many = manyAccounts(8, { packages: 8, seed: 3 });
  await using node = await startSimNode({ ledger: many.ledger });
  const accounts = [...many.addresses()];
  await crawl(db, node.url, accounts);
  await using served = await startServeProcess(["--db", db]);
  const paths = accounts.flatMap((address) => [`/accounts/${address}`, `/accounts/${address}/modules`]);
  const until = performance.now() + SECONDS * 1000;
  const isOver = () => performance.now() > until;
  const [good] = await Promise.all([
    askWell(served.url, paths, isOver),
    abuseAll(
      served.port,
      paths.map((path) => `/v1${path}`),
      isOver,
    ),
  ]);
  expect(good.failed).toEqual([]);
  expect(good.answered).toBeGreaterThan(10);
  expect(served.stderr()).not.toContain("could not be answered");
  expect(await served.stop()).toBe(0);
});
