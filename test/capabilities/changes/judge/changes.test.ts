import { expect } from "vitest";
import { SimLedger, startSimNode } from "../../../../sim/index.ts";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { changeQueries, type VersionRange } from "../../../../src/capabilities/changes/judge/changes.ts";
import { statusQueries } from "../../../../src/core/db/archive/read/status-queries.ts";
import type { Address } from "../../../../src/core/move/address.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { listsOf, runCli, test } from "../../../support/index.ts";
import { crawl } from "../../serve/support/served-archive.ts";

const accounts = ["0xa1", "0xa2", "0xa3"] as Address[];

/** Six snapshots of three accounts whose modules change, come and go between them; trace has looked at some of the stretches. */
async function tracedArchive(db: string): Promise<void> {
  const ledger = new SimLedger({ chainId: 9 });
  const code = (address: string, name: string, turn: number) =>
    writeModule({ address, name, structs: [{ name: `S${turn}`, abilities: [], fields: [] }] });
  ledger.genesis((writer) => {
    for (const address of accounts) {
      writer.account(address, { sequenceNumber: 1n });
      for (const name of ["coin", "pool"]) writer.publish(address, name, code(address, name, 0));
    }
  });
  await using node = await startSimNode({ ledger });
  for (let night = 1; night <= 6; night++) {
    ledger.advanceTo(BigInt(night * 100));
    // The third account is not asked about in one of the nights.
    await crawl(db, node.url, accounts.slice(0, night === 4 ? 2 : 3), { version: BigInt(night * 100) });
    for (const turn of night % 2 === 0 ? [1, 2] : [1]) {
      ledger.advanceTo(BigInt(night * 100 + turn * 30));
      ledger.transact((writer) => {
        for (const address of accounts) writer.publish(address, "coin", code(address, "coin", night * 2 + turn));
        if (night === 2) writer.publish("0xa2", "late", code("0xa2", "late", turn));
      });
    }
  }
  const { code: exit, stderr } = await runCli(["trace", "--rpc", node.url, "--db", db, "--rate", "0", "--max-requests", "30"]);
  expect([0, 3], stderr).toContain(exit);
}

test("changes of an account, of a module and of a night are those of the view that has all", async ({ place }) => {
  const db = place.file("archive.db");
  await tracedArchive(db);
  await using store = await openStore(db, { mode: "read" });
  // How bad a change is stands only in the lists of nights.
  const changesIn = async (stretch: VersionRange) =>
    (await changeQueries(store.engine).listModuleChanges(stretch)).map(({ summary: _, ...change }) => change);
  const all = await changesIn({ after: -1n, upTo: 1_000_000n });
  const [count] = listsOf<number[]>(db, "SELECT count(*), sum(is_exact) > 0 FROM module_changes");
  expect(count).toEqual([all.length, 1]);
  const inOrder = (changes: readonly (typeof all)[number][]) =>
    changes.toSorted((a, b) => Number(b.atOrBeforeVersion - a.atOrBeforeVersion) || (a.module < b.module ? -1 : 1));
  for (const address of accounts) {
    const own = inOrder(all.filter((change) => change.address === address));
    expect(own.length).toBeGreaterThan(3);
    for (const limit of [1, 3, 1000]) expect(await changeQueries(store.engine).changesOf({ address }, limit)).toEqual(own.slice(0, limit));
    const module = own[0]?.module as string;
    expect(await changeQueries(store.engine).changesOf({ address, module }, 1000)).toEqual(
      own.filter((change) => change.module === module),
    );
  }
  const sealed = (await statusQueries(store.engine).listSnapshots()).map(({ ledgerVersion }) => ledgerVersion).toReversed();
  const nights = await Promise.all(sealed.map((upTo, i) => changesIn({ after: sealed[i - 1] ?? -1n, upTo })));
  expect(inOrder(nights.flat())).toEqual(inOrder(all));
});
