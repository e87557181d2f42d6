import Database from "better-sqlite3";
import { is } from "drizzle-orm";
import { drizzle as drizzleOnFile } from "drizzle-orm/better-sqlite3";
import { drizzle as drizzleOnServer } from "drizzle-orm/node-postgres";
import type { PgTable, PgView } from "drizzle-orm/pg-core";
import { SQLiteTable, type SQLiteView } from "drizzle-orm/sqlite-core";
import pg from "pg";
import { describe, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { postgresqlTables, postgresqlViews } from "../../../src/capabilities/drizzle/postgresql.ts";
import { camelCase, exactBigint, wholeNumber } from "../../../src/capabilities/drizzle/relations.ts";
import { sqliteTables, sqliteViews } from "../../../src/capabilities/drizzle/sqlite.ts";
import type { Kind } from "../../../src/core/db/schema/column.ts";
import { tableList } from "../../../src/core/db/schema/tables/tables.ts";
import { isNullable } from "../../../src/core/db/schema/view.ts";
import { viewList } from "../../../src/core/db/schema/views/views.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { isLongRun } from "../../run-size.ts";
import { runCli, test } from "../../support/index.ts";
import { sharedServers } from "../../support/postgres/servers.ts";

type Rows = readonly Readonly<Record<string, unknown>>[];
type Ask = (relation: unknown) => Promise<Rows>;
type Columns = Readonly<Record<string, { readonly kind: Kind; readonly isNullable: boolean }>>;

const views = viewList.map(({ name, columns }) => ({
  name,
  columns: Object.fromEntries(
    Object.entries(columns).map(([column, about]) => [camelCase(column), { kind: about.kind, isNullable: isNullable(about) }]),
  ),
}));
const tables = tableList.map(({ name, columns }) => ({
  name,
  columns: Object.fromEntries(
    Object.entries(columns).map(([column, { kind, nullable }]) => [camelCase(column), { kind, isNullable: nullable === true }]),
  ),
}));

const isOf: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  int: Number.isSafeInteger,
  version: Number.isSafeInteger,
  u64: (value) => typeof value === "bigint",
  bytes: (value) => value instanceof Uint8Array,
  json: (value) => typeof value === "object",
  bool: (value) => typeof value === "boolean",
  time: (value) => value instanceof Date && !Number.isNaN(value.getTime()),
};

async function crawl(database: string): Promise<void> {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  for (const passDay of [() => undefined, () => sample.passDay()]) {
    passDay();
    const accounts = sample.codeAccounts.flatMap((address) => ["--account", address]);
    const { code, stderr } = await runCli(["sync", ...accounts, "--rpc", node.url, "--rate", "0", "--db", database]);
    expect(code, stderr).toBe(0);
  }
}

/** Reads every table and view, and says which columns have values of other types than their data says. @returns the views' rows */
async function readAll(ask: Ask, found: Readonly<Record<string, unknown>>, data: readonly { name: string; columns: Columns }[]) {
  expect(Object.keys(found)).toEqual(data.map(({ name }) => camelCase(name)));
  const all: Record<string, Rows> = {};
  const wrong = new Set<string>();
  for (const { name, columns } of data) {
    const rows = await ask(found[camelCase(name)]);
    for (const row of rows) {
      for (const [column, { kind, isNullable: mayBeNull }] of Object.entries(columns)) {
        const value = row[column];
        if (value === null ? !mayBeNull : !isOf[kind](value)) wrong.add(`${name}.${column}: ${value}`);
      }
    }
    all[name] = rows;
  }
  expect([...wrong]).toEqual([]);
  return all;
}

describe("drizzle's tables and views", () => {
  test("of SQLite give rows of the types that the data says", async ({ place }) => {
    const path = place.file("drizzle.db");
    await crawl(path);
    const database = new Database(path, { readonly: true });
    const db = drizzleOnFile(database);
    const all = await readAll(async (view) => await db.select().from(view as SQLiteView), sqliteViews, views);
    expect(all["functions_latest"]?.length).toBeGreaterThan(10);
    expect(all["snapshots"]).toHaveLength(2);
    await readAll(async (table) => await db.select().from(table as SQLiteTable), sqliteTables, tables);
    database.close();
  });

  test("have one name each", () => {
    expect(new Set(Object.keys(sqliteViews)).size).toBe(views.length);
    expect(Object.keys(postgresqlViews())).toEqual(Object.keys(sqliteViews));
    expect(Object.keys(postgresqlTables())).toEqual(Object.keys(sqliteTables));
    expect(Object.values(sqliteTables).every((table) => is(table, SQLiteTable))).toBe(true);
  });
});

const onServer: Parameters<typeof eachPostgres>[1] = (open) => {
  test("give rows of the types that the data says, whatever the session's time zone", async () => {
    const at = await open();
    await crawl(at.url());
    const client = new pg.Client({ connectionString: at.url(), options: "-c TimeZone=Asia/Kolkata" });
    await client.connect();
    const db = drizzleOnServer(client);
    const all = await readAll((view) => db.select().from(view as PgView), postgresqlViews("movedex"), views);
    const [newest] = all["snapshots"] as { createdAt: Date }[];
    expect(Math.abs((newest as { createdAt: Date }).createdAt.getTime() - Date.now())).toBeLessThan(3_600_000);
    await readAll((table) => db.select().from(table as PgTable), postgresqlTables("movedex"), tables);
    await client.end();
  });
};
eachPostgres("drizzle's tables and views", onServer, isLongRun ? sharedServers : []);

test("values are exact, or refused", () => {
  expect([wholeNumber(5n), wholeNumber("5"), wholeNumber(5)]).toEqual([5, 5, 5]);
  expect([exactBigint("18446744073709551615"), exactBigint(2n ** 63n), exactBigint(7)]).toEqual([2n ** 64n - 1n, 2n ** 63n, 7n]);
  expect(() => wholeNumber(2n ** 53n + 1n)).toThrow("9007199254740993 is not exact as a number");
  expect(() => exactBigint(2 ** 60)).toThrow("is not exact as a number");
});
