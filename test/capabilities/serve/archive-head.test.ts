import { describe, expect, test } from "vitest";
import { SimLedger } from "../../../sim/index.ts";
import { nodeOfFile, temporaryDirectory } from "../../support/index.ts";
import { askDatabase, crawl, serveDatabase } from "./support/served-archive.ts";

// The node's head is at 5,500,000 at first and at 26,300,000 later: time, epoch and blocks are then those of that version.
const ledger = new SimLedger({ chainId: 7 });
ledger.genesis((writer) => writer.account("0x1"));
const place = temporaryDirectory();

const headers = ["timestampusec", "epoch", "block-height"].map((name) =>
  name === "timestampusec" ? `x-aptos-ledger-${name}` : `x-aptos-${name}`,
);
async function headOf(origin: string): Promise<Record<string, string>> {
  const answer = await fetch(origin);
  return Object.fromEntries(headers.map((name) => [name, String(answer.headers.get(name))]));
}

/** What an archive says of its newest version's time, epoch and block, and of the oldest's block. */
async function servedHead(
  db: string,
): Promise<{ readonly newest: Record<string, string>; readonly oldestBlock: string; readonly health: number }> {
  await using served = await askDatabase(db, { clock: { now: () => 3_600_000, monotonic: () => 0, sleep: async () => undefined } });
  const { headers: all } = await served.ask("/v1");
  const newest = Object.fromEntries(headers.map((name) => [name, String(all[name])]));
  const { status } = await served.ask("/v1/-/healthy?duration_secs=60");
  return { newest, oldestBlock: String(all["x-aptos-oldest-block-height"]), health: status };
}

const node = await nodeOfFile({ ledger });
ledger.advanceTo(5_500_000n);
const early = await headOf(node.url);
for (const name of ["early.db", "both.db"]) await crawl(place.file(name), node.url, ["0x1"]);
ledger.advanceTo(26_300_000n);
const late = await headOf(node.url);

describe("time, epoch and block height of an archive's head", () => {
  test("are the node's where it was pinned at its head, or a night's lag below it", async () => {
    expect((await servedHead(place.file("early.db"))).newest).toEqual(early);
    await crawl(place.file("lag.db"), node.url, ["0x1"], { version: 26_295_000n });
    expect((await servedHead(place.file("lag.db"))).newest).toEqual(late);
  });

  test("are unknown, not the later head's, at an old version that was pinned from far above", async () => {
    await crawl(place.file("old.db"), node.url, ["0x1"], { version: 12_500_000n });
    const { newest, oldestBlock, health } = await servedHead(place.file("old.db"));
    expect([Object.values(newest), oldestBlock]).toEqual([["0", "0", "0"], "0"]);
    // Nothing is known to be young that may be old.
    expect(health).toBe(503);
  });

  test("unknown, make no crawler take the archive or the node for another ledger", async () => {
    await using archive = await serveDatabase(place.file("old.db"));
    const db = place.file("seen.db");
    // The database has seen the node far above and then the archive, whose version is lower and whose time is 0.
    for (const [url, version] of [
      [node.url, 26_300_000n],
      [archive.url, 12_500_000n],
      [node.url, 26_200_000n],
    ] as const) {
      expect(await crawl(db, url, ["0x1"], { version })).toMatchObject({ status: "sealed", gaps: 0 });
    }
    const other = place.file("other.db");
    await crawl(other, archive.url, ["0x1"], { version: 12_500_000n });
    expect(await crawl(other, node.url, ["0x1"], { version: 26_300_000n })).toMatchObject({ status: "sealed", gaps: 0 });
  });

  test("are those of the newest head seen below, where one was, and the oldest has its own block", async () => {
    await crawl(place.file("both.db"), node.url, ["0x1"], { version: 12_500_000n });
    const { newest, oldestBlock } = await servedHead(place.file("both.db"));
    expect(newest).toEqual(early);
    expect(oldestBlock).toBe(early["x-aptos-block-height"]);
    await crawl(place.file("both.db"), node.url, ["0x1"], { version: 26_300_000n });
    const after = await servedHead(place.file("both.db"));
    expect([after.newest, after.oldestBlock]).toEqual([late, early["x-aptos-block-height"]]);
  });
});
