import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { changeFile, cuttingProxy, rawRequest, temporaryDirectory } from "../../support/index.ts";
import { crawl } from "../serve/support/served-archive.ts";
import { servePages, typed } from "./support/served-pages.ts";

const sample = createSampleLedger();
const account = sample.codeAccounts[0] as string;
const sql = (statement: string) => new URLSearchParams({ sql: statement });
const paths = [
  ...["", "/modules", "/module/nothing"].map((what) => `/v1/accounts/${account}${what}`),
  ...["/v1/-/healthy", "/v1/info", "/snapshots", "/", "/changes", "/coverage", "/search?q=pool", "/changes.atom", `/account/${account}`],
  `/sql?${sql("SELECT * FROM modules_latest")}`,
  `/sql.csv?${sql("SELECT * FROM nowhere")}`,
  `/sql.json?${sql("SELECT * FROM modules_latest")}`,
];

/** Asks all of these, and finds in no answer what only the operator should know. @returns how many failed on our side */
async function failuresOf({ origin }: { readonly origin: string }, secrets: readonly string[]): Promise<number> {
  let failed = 0;
  for (const path of paths) {
    const { status, headers, body } = await rawRequest(origin, { path, headers: { ...typed } });
    const told = `${JSON.stringify(headers)}\n${body.toString()}`;
    for (const secret of secrets) expect(told.includes(secret), `${path}: ${secret} in ${told.slice(0, 2_000)}`).toBe(false);
    if (status >= 500) failed += 1;
  }
  return failed;
}

describe("answers while a file fails", () => {
  const ways: Readonly<Record<string, (path: string) => void>> = {
    "a table is gone": (path) => void changeFile(path, "DROP TABLE _listing_modules"),
    "it is no database any more": (path) => writeFileSync(path, "not a database".repeat(1_000)),
  };

  test.each(Object.keys(ways))("name no path of it: %s", async (way) => {
    using place = temporaryDirectory();
    const path = place.file("secret-name.db");
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(path, node.url, [account]);
    await using served = await servePages(path);
    const secrets = [place.path, "secret-name"];
    expect((await rawRequest(served.origin, { path: "/v1" })).status).toBe(200);
    (ways[way] as (path: string) => void)(path);
    expect(await failuresOf(served, secrets)).toBeGreaterThan(0);
  });
});

eachPostgres("answers while a server fails", (open) => {
  test("name neither user nor address nor database", async () => {
    const at = await open();
    await using node = await startSimNode({ ledger: sample.ledger });
    await crawl(at.url(), node.url, [account]);
    const url = new URL(await at.reader());
    await using proxy = await cuttingProxy(at.port);
    url.port = `${proxy.port}`;
    const secrets = [at.name, url.username, `:${at.port}`, `:${proxy.port}`, "postgres:"];
    await using served = await servePages(url.href);
    expect((await rawRequest(served.origin, { path: "/v1" })).status).toBe(200);
    await at.prepare("ALTER TABLE movedex._listing_modules RENAME TO elsewhere");
    expect(await failuresOf(served, secrets)).toBeGreaterThan(0);
    await at.prepare(
      `ALTER TABLE movedex.elsewhere RENAME TO _listing_modules; REVOKE ALL ON ALL TABLES IN SCHEMA movedex FROM ${url.username}`,
    );
    expect(await failuresOf(served, secrets)).toBeGreaterThan(0);
    proxy.closeAll();
    expect(await failuresOf(served, secrets)).toBeGreaterThan(0);
  });
});
