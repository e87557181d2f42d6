import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openQueryDoor } from "../../../src/store/read/query.ts";
import { addressOf, night, temporaryDirectory, temporaryStore } from "../support/temporary-store.ts";

const coded = (code: string) => expect.objectContaining({ code });

describe("openQueryDoor", () => {
  test("gives columns and rows, integers exact", () => {
    using at = temporaryStore();
    night(at.store, 2n ** 62n + 1n, new Map([[addressOf(1), { sequence: 2n ** 64n - 1n, modules: {} }]]));
    const door = openQueryDoor(at.path);
    const { columns, rows } = door.query("SELECT ledger_version, sequence_number, authentication_key FROM accounts_at");
    expect(columns).toEqual(["ledger_version", "sequence_number", "authentication_key"]);
    expect([...rows]).toEqual([[2n ** 62n + 1n, "18446744073709551615", `0x${"07".repeat(32)}`]]);
    expect([...door.query("SELECT :a || ?2", { a: "x", 2: "y" }).rows].length).toBe(1);
    expect([...door.query("SELECT ? + 1", [41n]).rows]).toEqual([[42n]]);
    door.close();
  });

  test("reads only as many rows as are asked for", () => {
    using at = temporaryStore();
    const door = openQueryDoor(at.path);
    const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
    for (const [x] of door.query(endless).rows) if (x === 3n) break;
    expect([...door.query("SELECT 1").rows]).toEqual([[1n]]);
    door.close();
  });

  const refused = [
    "DELETE FROM targets",
    "INSERT INTO targets VALUES (1, 'given', NULL, 0, 0, NULL) RETURNING *",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA user_version = 7",
    "ATTACH 'other.db' AS other",
    "VACUUM INTO 'other.db'",
    "CREATE TEMP TABLE t AS SELECT 1",
    "SELECT 1; SELECT 2",
    "SELECT nothing FROM nowhere",
    "SELEKT",
    "",
    "SELECT load_extension('x')",
    "SELECT ?",
  ];
  test.each(refused)("refuses or fails `%s` and writes nothing", (sql) => {
    using at = temporaryStore();
    using directory = temporaryDirectory();
    const before = process.cwd();
    const door = openQueryDoor(at.path);
    process.chdir(directory.path);
    try {
      expect(() => [...door.query(sql).rows]).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^MOVEDEX_STORE_(QUERY|READ_ONLY)$/) }),
      );
      expect(readdirSync(directory.path)).toEqual([]);
    } finally {
      process.chdir(before);
      door.close();
    }
  });

  test("makes no file, and takes no other's", () => {
    using directory = temporaryDirectory();
    expect(() => openQueryDoor(`${directory.path}/none.db`)).toThrow(coded("MOVEDEX_STORE_MISSING"));
    expect(readdirSync(directory.path)).toEqual([]);
  });
});
