import { expect, test } from "vitest";
import { openPostgres } from "../../../../src/capabilities/postgresql/open-server.ts";
import { closing } from "../../../../src/core/base/async.ts";
import { type ColumnType, kinds } from "../../../../src/core/db/schema/column.ts";
import { relations } from "../../../../src/core/db/schema/documentation.ts";
import { sql } from "../../../../src/core/db/schema/sql/sql.ts";
import { workTables } from "../../../../src/core/db/schema/tables/work.ts";
import { internalViews, viewList } from "../../../../src/core/db/schema/views/views.ts";
import { eachPostgres } from "../../../engine/support/postgres-databases.ts";

/** As a run, it waits for others that make views for longer than the ten seconds that are the default. */
const write = { mode: "write", now: () => 0, lockTimeoutMs: 600_000 } as const;
const columns = sql<[string, string, string, string | null]>`SELECT CAST(c.relname AS text), CAST(a.attname AS text),
  format_type(a.atttypid, NULL), CAST(o.collname AS text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 LEFT JOIN pg_collation o ON o.oid = a.attcollation AND a.attcollation <> 0
  WHERE n.nspname = 'movedex' AND c.relkind = 'v' ORDER BY c.relname, a.attnum`;
const types: Readonly<Record<ColumnType, string>> = {
  text: "text C",
  integer: "bigint",
  u64: "numeric",
  boolean: "boolean",
  time: "timestamp with time zone",
};
const uncommented = sql`SELECT CAST(c.relname AS text), CAST(a.attname AS text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum >= 0 AND NOT a.attisdropped
  WHERE n.nspname = 'movedex' AND c.relkind IN ('r', 'v') AND col_description(c.oid, a.attnum) IS NULL`;
const undescribed = sql`SELECT CAST(c.relname AS text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'movedex' AND c.relkind IN ('r', 'v') AND obj_description(c.oid, 'pg_class') IS NULL`;

eachPostgres("public views", (open) => {
  test("have the columns that their data says, each of one honest type, texts in the order of their bytes", async () => {
    const at = await open();
    await using engine = closing(await openPostgres(at.url(), write));
    const found = (await engine.all(columns)).map(
      ([view, column, type, collation]) => `${view}.${column} ${type}${collation === null ? "" : ` ${collation}`}`,
    );
    const expected = [...internalViews, ...viewList]
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((view) => Object.entries(view.columns).map(([column, { kind }]) => `${view.name}.${column} ${types[kinds[kind].type]}`));
    expect(found).toEqual(expected);
    for (const { name } of viewList) expect(await engine.all({ in: () => `SELECT * FROM ${name}` }), name).toEqual([]);
    const described = await engine.all(sql<[string, string]>`SELECT relation, column_name FROM documentation`);
    expect(described.map(String).sort()).toEqual(
      relations.flatMap(({ columns }) => columns.map((one) => `${one.relation},${one.column}`)).sort(),
    );
  });

  test("and the tables behind them have a comment each, and each of their columns", async () => {
    const at = await open();
    await using engine = closing(await openPostgres(at.url(), write));
    expect(await engine.all(undescribed)).toEqual([]);
    expect(await engine.all(uncommented)).toEqual([]);
    const said = sql`SELECT obj_description(CAST('movedex.snapshots' AS regclass), 'pg_class'), col_description(CAST('movedex._all_snapshots' AS regclass), 1)`;
    expect(await engine.first(said)).toEqual([
      `${viewList.find(({ name }) => name === "snapshots")?.meaning}. Key: ledger_version`,
      workTables.all_snapshots.columns.ledger_version.meaning,
    ]);
  });

  test("are made anew when those of another version are there, and left alone when they are the same", async () => {
    const at = await open();
    await using engine = closing(await openPostgres(at.url(), write));
    const made = sql`SELECT count(*), max(c.oid::bigint) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'movedex' AND c.relkind = 'v'`;
    const before = await engine.all(made);
    await (await openPostgres(at.url(), write)).close();
    expect(await engine.all(made)).toEqual(before);
    await engine.run(sql`DROP VIEW gaps`);
    await engine.run(sql`CREATE VIEW "old ""one" AS SELECT 1 AS a`);
    await engine.run(sql`CREATE VIEW mine AS SELECT 2 AS b`);
    await engine.run(sql`INSERT INTO documentation VALUES ('old "one', 'view', 0, 'a', 'integer', '')`);
    await engine.run(sql`UPDATE _archive SET views_digest = 'of another version'`);
    await Promise.all([0, 1, 2].map(async () => (await openPostgres(at.url(), write)).close()));
    const names = sql<[string]>`SELECT CAST(c.relname AS text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'movedex' AND c.relkind = 'v' ORDER BY 1`;
    expect((await engine.all(names)).map(([name]) => name)).toEqual(
      [...[...internalViews, ...viewList].map(({ name }) => name), "mine"].sort(),
    );
    expect(await engine.all(sql`SELECT relation FROM documentation WHERE relation LIKE 'old%'`)).toEqual([]);
  });

  test("are not taken from under views of others", async () => {
    const at = await open();
    await using engine = closing(await openPostgres(at.url(), write));
    await engine.run(sql`CREATE VIEW mine AS SELECT * FROM snapshots`);
    await engine.run(sql`UPDATE _archive SET views_digest = 'of another version'`);
    await expect(openPostgres(at.url(), write)).rejects.toMatchObject({ code: "MOVEDEX_STORE_MIGRATION" });
    expect(await engine.all(sql`SELECT * FROM mine`)).toEqual([]);
    await engine.run(sql`DROP VIEW mine`);
    await (await openPostgres(at.url(), write)).close();
  });
});
