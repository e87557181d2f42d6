import { readdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { addressOf, night, temporaryStore } from "../../support/store/temporary-store.ts";
import { test } from "../../support/test.ts";

const coded = (code: string) => expect.objectContaining({ code });

describe("openQueryDoor", () => {
  test("gives columns and rows, integers exact", async () => {
    await using at = await temporaryStore();
    await night(at.engine, 2n ** 62n + 1n, [[addressOf(1), { sequence: 2n ** 64n - 1n, modules: {} }]]);
    await using door = await databaseAt(at.path).openToQuery();
    const { columns, rows } = await door.query("SELECT ledger_version, sequence_number, authentication_key FROM accounts_at");
    expect(columns).toEqual(["ledger_version", "sequence_number", "authentication_key"]);
    expect(await Array.fromAsync(rows)).toEqual([[2n ** 62n + 1n, "18446744073709551615", `0x${"07".repeat(32)}`]]);
    expect((await Array.fromAsync((await door.query("SELECT :a || ?2", { a: "x", 2: "y" })).rows)).length).toBe(1);
    expect(await Array.fromAsync((await door.query("SELECT ? + 1", [41n])).rows)).toEqual([[42n]]);
  });

  test("reads only as many rows as are asked for", async () => {
    await using at = await temporaryStore();
    await using door = await databaseAt(at.path).openToQuery();
    const endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
    for await (const [x] of (await door.query(endless)).rows) if (x === 3n) break;
    expect(await Array.fromAsync((await door.query("SELECT 1")).rows)).toEqual([[1n]]);
  });

  test("gives a plan as a tree of lines", async () => {
    await using at = await temporaryStore();
    await using door = await databaseAt(at.path).openToQuery();
    const { columns, rows } = await door.query(
      "SELECT id FROM _addresses UNION ALL SELECT id FROM _listings WHERE id IN (SELECT 1)",
      [],
      true,
    );
    expect(columns).toEqual(["QUERY PLAN"]);
    const lines = (await Array.fromAsync(rows)).map(([line]) => String(line));
    expect(lines.map((line) => line.search(/\S/))).toEqual([0, 2, 4, 2, 4, 4, 6]);
    expect(lines.slice(0, 2)).toEqual(["COMPOUND QUERY", "  LEFT-MOST SUBQUERY"]);
  });

  const refused = [
    "DELETE FROM _targets",
    "INSERT INTO _targets VALUES (1, 'given', NULL, 0, 0, NULL) RETURNING *",
    "PRAGMA journal_mode = DELETE",
    "PRAGMA user_version = 7",
    "PRAGMA database_list",
    "PRAGMA mmap_size = 0",
    "PRAGMA locking_mode = EXCLUSIVE",
    "PRAGMA hard_heap_limit = 0",
    "SELECT file FROM pragma_database_list",
    'SELECT * FROM main."PRAGMA_mmap_size"(0)',
    "EXPLAIN ATTACH 'x' AS y",
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
  test.for(refused)("refuses or fails `%s` and writes nothing", async (sql, { place }) => {
    await using at = await temporaryStore();
    const before = process.cwd();
    const door = await databaseAt(at.path).openToQuery();
    process.chdir(place.path);
    try {
      await expect(async () => await Array.fromAsync((await door.query(sql)).rows)).rejects.toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^MOVEDEX_STORE_(QUERY|READ_ONLY)$/) }),
      );
      expect(readdirSync(place.path)).toEqual([]);
    } finally {
      process.chdir(before);
      await door.close();
    }
  });

  test("makes no file, and takes no other's", async ({ place }) => {
    await expect(() => databaseAt(`${place.path}/none.db`).openToQuery()).rejects.toThrow(coded("MOVEDEX_STORE_MISSING"));
    expect(readdirSync(place.path)).toEqual([]);
  });
});
