import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { schemaDamage } from "../../../src/store/connection/expected-schema.ts";
import { openStore } from "../../../src/store/store.ts";
import { isLongRun } from "../../run-size.ts";
import { databaseContent } from "../../support/database-content.ts";
import { crawlMuch } from "../support/much-bytecode.ts";
import { NOON, rowsOf, temporaryStore } from "../support/temporary-store.ts";

/** In the long run so many that both threads derive them. */
const ACCOUNTS = isLongRun ? 200 : 70;
const EACH = 20;

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
    await crawlMuch(at.store, ACCOUNTS, EACH);
    await at.store.derive();
    expect(await at.store.underived()).toBe(0);
    expect(rowsOf(at.path, "SELECT count(*) AS n FROM _bytecodes WHERE error_code IS NOT NULL")).toEqual([{ n: ACCOUNTS }]);
    expect(damage(at.path)).toEqual([]);
    const beside = databaseContent(at.path);
    changeTo(at.path, "UPDATE _bytecodes SET derived_by = 'movedex 0' WHERE id = 1");
    expect(await at.store.derive()).toEqual({ derived: ACCOUNTS * EACH, undecodable: ACCOUNTS });
    expect(databaseContent(at.path)).toEqual(beside);
    expect(damage(at.path)).toEqual([]);
  });

  test("ends where something stored is damaged, with all before it written, and goes on once that is mended", async () => {
    await using at = await temporaryStore();
    await crawlMuch(at.store, ACCOUNTS, EACH);
    const last = "SELECT id, hex(code) AS code FROM _bytecode_blobs ORDER BY id DESC LIMIT 1";
    const [{ id, code }] = rowsOf(at.path, last) as [{ id: number; code: string }];
    changeTo(at.path, `UPDATE _bytecode_blobs SET code = x'00' WHERE id = ${id}`);
    await expect(at.store.derive()).rejects.toMatchObject({ code: "MOVEDEX_STORE_DAMAGED" });
    const gaps =
      "SELECT count(*) AS n FROM _bytecodes WHERE abi_id IS NULL AND bytecode_version IS NOT NULL AND id < (SELECT max(id) FROM _bytecodes WHERE abi_id IS NOT NULL)";
    expect(rowsOf(at.path, gaps)).toEqual([{ n: 0 }]);
    expect(await at.store.underived()).toBeGreaterThan(0);
    changeTo(at.path, `UPDATE _bytecode_blobs SET code = x'${code}' WHERE id = ${id}`);
    await at.store.derive();
    expect(await at.store.underived()).toBe(0);
    expect(damage(at.path)).toEqual([]);
  });

  test.runIf(isLongRun)(
    "a store that is closed before leaves whole batches, and the next one does the rest; missing indexes come back",
    async () => {
      await using whole = await temporaryStore();
      await crawlMuch(whole.store, ACCOUNTS, EACH);
      await whole.store.derive();
      await using at = await temporaryStore();
      await crawlMuch(at.store, ACCOUNTS, EACH);
      expect(await at.store.derive({ signal: AbortSignal.abort() })).toEqual({ derived: 0, undecodable: 0 });
      expect(await at.store.underived()).toBeGreaterThan(0);
      await at.store.close();
      const halves = "SELECT count(*) AS n FROM _abis WHERE id NOT IN (SELECT abi_id FROM _bytecodes WHERE abi_id IS NOT NULL)";
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
