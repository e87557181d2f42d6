import { readdirSync } from "node:fs";
import { describe, expect } from "vitest";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { addressOf, night, temporaryStore, test } from "../../support/index.ts";

const coded = (code: string) => expect.objectContaining({ code });

describe("openToQuery", () => {
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

  test("makes no file, and takes no other's", async ({ place }) => {
    await expect(() => databaseAt(`${place.path}/none.db`).openToQuery()).rejects.toThrow(coded("MOVEDEX_STORE_MISSING"));
    expect(readdirSync(place.path)).toEqual([]);
  });
});
