import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/base/sha256.ts";
import { type ModuleSpec, writeModule } from "../../../src/sim/module-writer/module-writer.ts";
import { schemaDamage } from "../../../src/store/connection/expected-schema.ts";
import { type ObservedModule, openStore, type Store } from "../../../src/store/store.ts";
import { isLongRun } from "../../run-size.ts";
import { databaseContent } from "../../support/database-content.ts";
import { addressOf, NOON, recordOf, rowsOf, temporaryStore } from "../support/temporary-store.ts";

const ACCOUNTS = 70;
const EACH = 20;

function moduleOf(account: number, index: number): ObservedModule {
  const spec = {
    version: 7,
    address: addressOf(account),
    name: `m${index}`,
    dependencies: ["0x1::math"],
    structs: [{ name: `S${index}`, abilities: ["key"], fields: [["value", "u64"]] }],
    functions: ["all", `f${account}`, `g${index}`].map((name) => ({ name, visibility: "public", params: ["&signer"] })),
  } as unknown as ModuleSpec;
  const code = index === 7 ? Buffer.from(`no module ${account}`) : writeModule(spec);
  return { name: spec.name, sha256: sha256(code), content: { code, bytecodeVersion: index === 7 ? null : 7 } };
}

/** Stores a snapshot of more new bytecode than one thread derives by itself, in many transactions, and seals it. */
async function crawl(store: Store): Promise<void> {
  const addresses = Array.from({ length: ACCOUNTS }, (_, i) => addressOf(0x100 + i));
  const head = { chainId: 4, headVersion: 10n, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON };
  await store.createPin({ ...head, ledgerVersion: 10n }, addresses);
  const visit = async (i: number) => {
    const modules = Array.from({ length: EACH }, (_, index) => moduleOf(0x100 + i, index));
    await store.commitVisits(10n, [{ address: addressOf(0x100 + i), account: recordOf(1n), modules }]);
  };
  await Promise.all(addresses.map((_, i) => visit(i)));
  await store.seal(10n, { now: NOON });
}

function changeTo(path: string, sql: string): void {
  const database = new Database(path);
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

function damage(path: string): unknown[] {
  const database = new Database(path, { readonly: true }).defaultSafeIntegers(true);
  try {
    return schemaDamage(database, 1);
  } finally {
    database.close();
  }
}

describe("deriving beside a crawl", () => {
  test("writes what one thread alone writes, and marks what cannot be decoded at the end", async () => {
    await using at = await temporaryStore();
    await crawl(at.store);
    await at.store.derive();
    expect(await at.store.underived()).toBe(0);
    expect(rowsOf(at.path, "SELECT count(*) AS n FROM bytecodes WHERE error_code IS NOT NULL")).toEqual([{ n: ACCOUNTS }]);
    expect(damage(at.path)).toEqual([]);
    const beside = databaseContent(at.path);
    changeTo(at.path, "UPDATE bytecodes SET derived_by = 'movedex 0' WHERE id = 1");
    expect(await at.store.derive()).toEqual({ derived: ACCOUNTS * EACH, undecodable: ACCOUNTS });
    expect(databaseContent(at.path)).toEqual(beside);
    expect(damage(at.path)).toEqual([]);
  });

  test.runIf(isLongRun)(
    "a store that is closed before leaves whole batches, and the next one does the rest; missing indexes come back",
    async () => {
      await using whole = await temporaryStore();
      await crawl(whole.store);
      await whole.store.derive();
      await using at = await temporaryStore();
      await crawl(at.store);
      expect(await at.store.derive({ signal: AbortSignal.abort() })).toEqual({ derived: 0, undecodable: 0 });
      expect(await at.store.underived()).toBeGreaterThan(0);
      await at.store.close();
      const halves = "SELECT count(*) AS n FROM abis WHERE id NOT IN (SELECT abi_id FROM bytecodes WHERE abi_id IS NOT NULL)";
      expect(rowsOf(at.path, halves)).toEqual([{ n: 0 }]);
      changeTo(at.path, "DROP INDEX IF EXISTS functions_by_name");
      expect(damage(at.path)).toEqual([]);
      const again = await openStore(at.path, { mode: "write", now: () => NOON });
      try {
        expect(rowsOf(at.path, "SELECT count(*) AS n FROM sqlite_schema WHERE name = 'functions_by_name'")).toEqual([{ n: 1 }]);
        await again.derive();
        expect(await again.underived()).toBe(0);
      } finally {
        await again.close();
      }
      expect(databaseContent(at.path)).toEqual(databaseContent(whole.path));
      expect(damage(at.path)).toEqual([]);
    },
  );
});
