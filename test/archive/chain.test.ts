import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { readChain } from "../../src/archive/chain.ts";
import { snapshotQueries } from "../../src/archive/snapshots/snapshot-queries.ts";
import { observationCheck } from "../../src/archive/verify/verify.ts";
import { sqliteSession } from "../../src/engine/sqlite/statements.ts";
import { openStore } from "../../src/work/store.ts";
import { eachPostgres } from "../engine/support/postgres-databases.ts";
import { addressOf, NOON, night, temporaryStore } from "../support/store/temporary-store.ts";

/** A database of chain 4, after a change by somebody else, opened to write. */
async function chainAfter(
  change: string,
): Promise<{ readonly chainId: number | null; readonly damage: readonly string[]; readonly told: number }> {
  await using at = await temporaryStore();
  await night(at.engine, 10n, [[addressOf(1), { sequence: 1n, modules: {} }]]);
  await at.close();
  const other = new Database(at.path).defaultSafeIntegers(true);
  try {
    other.exec(change);
    const sentences: string[] = [];
    const store = await openStore(at.path, { mode: "write", now: () => NOON, onNotice: (sentence) => sentences.push(sentence) });
    for (const sentence of sentences) expect(sentence).toMatch(/chain id of .* was damaged \(.*\) and is 4 again/);
    const chainId = await readChain(store.engine);
    await store.close();
    const damage = (await Array.fromAsync(observationCheck(sqliteSession(other, at.path), { part: 0, of: 1 }).steps())).flat();
    return { chainId, damage: damage.map(({ table }) => table), told: sentences.length };
  } finally {
    other.close();
  }
}

describe("the chain's number", () => {
  test("is put back when the checksum of its row proves it, so that the right node is not refused", async () => {
    for (const damaged of ["0", "5", "4 + (1 << 40)", "-1", "NULL"]) {
      expect(await chainAfter(`UPDATE _archive SET chain_id = ${damaged}`), damaged).toEqual({ chainId: 4, damage: [], told: 1 });
    }
  });

  test("stays as it is, and damage, when no number explains the checksum", async () => {
    expect(await chainAfter("UPDATE _archive SET chain_id = 5, created_at = created_at + 1")).toEqual({
      chainId: 5,
      damage: ["_archive"],
      told: 0,
    });
    expect(await chainAfter("UPDATE _archive SET checksum = checksum + 1")).toEqual({ chainId: 4, damage: ["_archive"], told: 0 });
    expect(await chainAfter("UPDATE _archive SET checksum = NULL")).toEqual({ chainId: 4, damage: ["_archive"], told: 0 });
  });

  test("is bound once: another chain's is refused", async () => {
    await using at = await temporaryStore();
    await snapshotQueries(at.engine).bindChain(4);
    await expect(snapshotQueries(at.engine).bindChain(5)).rejects.toMatchObject({ code: "MOVEDEX_STORE_CHAIN" });
  });
});

eachPostgres("the chain's number", (open) => {
  test("is put back on a server too, and said to be", async () => {
    const at = await open();
    const sentences: string[] = [];
    const chainId = async () => {
      await using store = await openStore(at.url(), { mode: "write", now: () => NOON, onNotice: (sentence) => sentences.push(sentence) });
      await snapshotQueries(store.engine).bindChain(4);
      return await readChain(store.engine);
    };
    expect(await chainId()).toBe(4);
    for (const damaged of ["5", "1099511627780", "NULL"]) {
      await at.prepare(`UPDATE movedex._archive SET chain_id = ${damaged}`);
      expect(await chainId(), damaged).toBe(4);
    }
    expect(sentences).toEqual(Array(3).fill(expect.stringMatching(/chain id of .* was damaged \(.*\) and is 4 again/)));
    await at.prepare("UPDATE movedex._archive SET chain_id = 5, created_at = created_at + interval '1 ms'");
    await expect(chainId()).rejects.toMatchObject({ code: "MOVEDEX_STORE_CHAIN" });
    expect(sentences).toHaveLength(3);
  });
});
