import { expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { sized } from "../../run-size.ts";
import { type DatabaseContent, databaseContent, temporaryDirectory } from "../../support/index.ts";
import { crawl, serveDatabase } from "./support/served-archive.ts";
import { variedLedger } from "./support/varied-ledger.ts";

const all = [1, 7, 9999].flatMap((pageSize) => (["bcs", "json"] as const).map((encoding) => ({ pageSize, encoding })));
const ways = sized(
  all.filter(({ pageSize, encoding }) => pageSize === (encoding === "bcs" ? 1 : 7)),
  all,
);

const spans = ["coverage", "account_spans", "listing_spans", "listing_modules", "bytecodes", "abis", "functions", "structs", "types"];

/** What is said of the ledger, and nothing about the nodes that said it. */
function aboutTheLedger(content: DatabaseContent, encoding: "bcs" | "json"): DatabaseContent {
  const named = (name: string): boolean => /(?:_at|_latest|_changes)$/.test(name) || name === "snapshots" || spans.includes(name);
  const kept = Object.fromEntries(Object.entries(content).filter(([name]) => named(name)));
  if (encoding === "bcs") return kept;
  // A record that was read as JSON lacks its BCS, which is the one thing that JSON cannot carry.
  const cut = kept["account_spans"]?.map((row) => row.replace(/,\["resource",[^\]]*\]/, "")).sort() ?? [];
  return { ...kept, account_spans: cut };
}

async function expectSameAfterRoundTrip(
  db: string,
  accounts: readonly string[],
  versions: readonly bigint[],
  way: (typeof ways)[number],
): Promise<void> {
  await using served = await serveDatabase(db);
  using place = temporaryDirectory();
  const second = place.file("second.db");
  // Out of order, as nobody's archive grows.
  for (const version of [...versions].reverse()) {
    const more = ["--page-size", `${way.pageSize}`, "--encoding", way.encoding];
    expect(await crawl(second, served.url, accounts, { version, more })).toMatchObject({ status: "sealed", gaps: 0, retries: 0 });
  }
  const [ours, theirs] = [db, second].map((path) => aboutTheLedger(databaseContent(path), way.encoding));
  expect(ours?.["snapshots"]).toHaveLength(versions.length);
  expect(ours?.["listing_spans"]?.length).toBeGreaterThan(1);
  expect(theirs).toEqual(ours);
}

test.each(ways)(
  "an archive crawled from a served archive pages of $pageSize in $encoding: modules of every awkward name, at every sealed version",
  async (way) => {
    const scene = variedLedger();
    await using node = await startSimNode({ ledger: scene.ledger });
    using place = temporaryDirectory();
    const db = place.file("first.db");
    // Bytes that name no module cannot be listed in JSON, where the name stands in the ABI alone.
    const accounts = way.encoding === "json" ? scene.accounts.slice(1) : scene.accounts;
    const versions: bigint[] = [];
    for (let version = scene.next(); version !== undefined; version = scene.next()) {
      await crawl(db, node.url, accounts);
      versions.push(version);
    }
    await expectSameAfterRoundTrip(db, accounts, versions, way);
  },
);
