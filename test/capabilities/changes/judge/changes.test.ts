import { expect } from "vitest";
import { SimLedger, startSimNode } from "../../../../sim/index.ts";
import { writeModule } from "../../../../sim/module-writer/module-writer.ts";
import { changeQueries, type VersionRange } from "../../../../src/capabilities/changes/judge/changes.ts";
import { judgeChanges } from "../../../../src/capabilities/changes/judge/judge.ts";
import { statusQueries } from "../../../../src/core/db/archive/read/status-queries.ts";
import type { Address } from "../../../../src/core/move/address.ts";
import { openStore } from "../../../../src/core/work/store.ts";
import { changeFile, listsOf, rowsOf, runCli, test } from "../../../support/index.ts";
import { crawl } from "../../serve/support/served-archive.ts";
import { writeSmallArchive } from "../../verify/small-archive.ts";

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

test("a run judges each pair of bytecodes once; what a signal left is judged by the next one, and what could not be compared again", async ({
  place,
}) => {
  const path = place.file("archive.db");
  await writeSmallArchive(path);
  const rows = () => rowsOf(path, "SELECT * FROM _judged_upgrades ORDER BY from_id, to_id");
  const judge = async (signal?: AbortSignal) => {
    await using store = await openStore(path, { mode: "write", now: () => 0 });
    return await judgeChanges(store.engine, signal);
  };
  const stored = "_judged_upgrades j JOIN _bytecodes f ON f.id = j.from_id JOIN _bytecodes t ON t.id = j.to_id";
  const shown = "module_changes WHERE from_sha256 IS NOT NULL AND to_sha256 IS NOT NULL";
  const pairs = (from: string, both: string) => listsOf(path, `SELECT DISTINCT ${both} FROM ${from} ORDER BY 1, 2`);
  const findings = () => rowsOf(path, "SELECT * FROM _judged_findings ORDER BY from_id, to_id, position");
  const [judged, found] = [rows(), findings()];
  expect(found.length).toBeGreaterThanOrEqual(judged.length);
  expect(judged.length).toBeGreaterThan(1);
  expect(await judge()).toBe(0);
  expect(pairs(stored, "lower(hex(f.sha256)), lower(hex(t.sha256))")).toEqual(pairs(shown, "from_sha256, to_sha256"));
  changeFile(path, "DELETE FROM _judged_upgrades");
  expect([await judge(AbortSignal.abort()), rows().length]).toEqual([0, 0]);
  expect([await judge(), rows()]).toEqual([judged.length, judged]);
  changeFile(path, "UPDATE _judged_upgrades SET severity = 'unclear', reason = 'before: it could not be read'");
  expect([await judge(), rows()]).toEqual([judged.length, judged]);
  changeFile(path, "UPDATE _judged_upgrades SET rules = rules + 1; UPDATE _judged_findings SET rule = 'other'");
  expect([await judge(), rows(), findings()]).toEqual([judged.length, judged, found]);
});
