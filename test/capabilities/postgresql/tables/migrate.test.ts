import { readFileSync } from "node:fs";
import { generateDrizzleJson } from "drizzle-kit/api";
import { expect, test } from "vitest";
import { postgresqlTables } from "../../../../src/capabilities/drizzle/postgresql.ts";
import { openPostgres } from "../../../../src/capabilities/postgresql/open-server.ts";
import { closing } from "../../../../src/core/base/async.ts";
import { packageFile } from "../../../../src/core/base/files.ts";
import { readMigrations } from "../../../../src/core/db/engine/migrations.ts";
import { kinds } from "../../../../src/core/db/schema/column.ts";
import { sql } from "../../../../src/core/db/schema/sql/sql.ts";
import { indexName, isNumbered, referencesOf, type TableData } from "../../../../src/core/db/schema/table.ts";
import { broughtTables, tableList } from "../../../../src/core/db/schema/tables/tables.ts";
import { type Older, olderArchives, olderCoverage, olderNights } from "../../../engine/support/older-rows.ts";
import { eachPostgres } from "../../../engine/support/postgres-databases.ts";
import { sized } from "../../../run-size.ts";
import { law } from "../../../support/property/law.ts";

const NOON = Date.UTC(2026, 0, 31, 12);
/** As a run, it waits for others that migrate for longer than the ten seconds that are the default. */
const write = { mode: "write", now: () => NOON, appVersion: "9.9.9", lockTimeoutMs: 600_000 } as const;
const read = { mode: "read", now: () => NOON } as const;
const tables: readonly TableData[] = tableList;
const types: Readonly<Record<string, string>> = { timestamptz: "timestamp with time zone" };

const words = { time: (ms: number) => `to_timestamp(${ms} / 1000.0)`, now: "now()", noBytes: "''" };

/** SQL that makes a schema by its first migrations, with rows in it. */
function olderSchema({ migrations, rows }: Older): string {
  const tags = readMigrations(packageFile("migrations/postgresql")).flatMap(({ tag }, i) => (i < migrations ? [tag] : []));
  const before = tags.map((tag) => readFileSync(packageFile(`migrations/postgresql/${tag}.sql`), "utf8"));
  return `CREATE SCHEMA movedex; SET search_path TO movedex; ${before.join(";")};
    CREATE TABLE _migrations (id bigint PRIMARY KEY, tag text NOT NULL, applied_at timestamptz NOT NULL);
    INSERT INTO _migrations VALUES (0, 'the row that a migration locks', now()), ${tags.map((tag, i) => `(${i + 1}, '${tag}', now())`)};
    ${rows(words)}`;
}

/** Columns, constraints, indexes and sequences of movedex's tables, with their names. */
const CATALOG = `SELECT relname || ' ' || attname, format_type(atttypid, atttypmod), attnotnull::text, attidentity::text || attstorage::text,
    attoptions::text, attcollation::regcollation::text, reloptions::text FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
    WHERE relnamespace = 'movedex'::regnamespace AND relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT conname, conrelid::regclass::text, pg_get_constraintdef(oid), NULL, NULL, NULL, NULL
    FROM pg_constraint WHERE connamespace = 'movedex'::regnamespace AND contype <> 'n'
  UNION ALL SELECT indexname, tablename, indexdef, NULL, NULL, NULL, NULL FROM pg_indexes WHERE schemaname = 'movedex'
  UNION ALL SELECT relname, NULL, NULL, NULL, NULL, NULL, NULL FROM pg_class WHERE relnamespace = 'movedex'::regnamespace AND relkind = 'S'
  ORDER BY 1, 2`;

eachPostgres("openPostgres", (open) => {
  test("calls constraints and sequences as drizzle-kit does, which drops them by these names", async () => {
    const at = await open();
    await using engine = closing(await openPostgres(at.url(), write));
    const names = await engine.all(sql<[string]>`SELECT conname FROM pg_constraint WHERE connamespace = 'movedex'::regnamespace
        AND contype IN ('p', 'f') AND conrelid <> '_migrations'::regclass
      UNION ALL SELECT relname FROM pg_class WHERE relkind = 'S' AND relnamespace = 'movedex'::regnamespace`);
    const kit = JSON.stringify(generateDrizzleJson(postgresqlTables()).tables);
    const isOfKit = ([name]: [string]) => /^_\w+_pkey$/.test(name) || kit.includes(`"name":"${name}`);
    expect(names.filter((row) => !isOfKit(row))).toEqual([]);
    expect(names.length).toBeGreaterThan(100);
  });

  test("makes the tables of the table data and no others", async () => {
    const at = await open();
    await using engine = closing(await openPostgres(at.url(), write));
    const columns = await engine.all(
      sql<[string, string, string, number, string | null, string]>`SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), CASE
        WHEN a.attnotnull THEN 1 ELSE 0 END, l.collname, a.attidentity FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_collation l ON l.oid = a.attcollation WHERE n.nspname = 'movedex' AND c.relkind = 'r' AND c.relname <> '_migrations'
        ORDER BY c.relname, a.attnum`,
    );
    const wanted = tables
      .flatMap((table) =>
        Object.entries(table.columns).map(([name, { kind, nullable }]) => {
          const type = kinds[kind].postgresql;
          const isGiven = isNumbered(table) && table.key[0] === name && kind === "int";
          return [table.name, name, types[type] ?? type, nullable ? 0 : 1, kind === "text" ? "C" : null, isGiven ? "d" : ""];
        }),
      )
      .sort(([a = ""], [b = ""]) => ((a as string) < (b as string) ? -1 : (a as string) > (b as string) ? 1 : 0));
    expect(columns).toEqual(wanted);
    const indexes = await engine.all(
      sql`SELECT indexname FROM pg_indexes WHERE schemaname = 'movedex' AND indexname LIKE '%\\_by\\_%' ORDER BY indexname`,
    );
    expect(indexes.flat()).toEqual(tables.flatMap((table) => (table.indexes ?? []).map((index) => indexName(table, index))).sort());
    const foreign = sql`SELECT count(*) FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE n.nspname = 'movedex' AND c.contype = 'f'`;
    const references = tables.filter(({ isBulk }) => !isBulk).flatMap((table) => referencesOf(table));
    expect(await engine.first(foreign)).toEqual([references.length]);
    expect(
      await engine.first(sql`SELECT attstorage FROM pg_attribute WHERE attrelid = '_bytecode_blobs'::regclass AND attname = 'code'`),
    ).toEqual(["e"]);
    const expected = await engine.all(
      sql<[string, string, string]>`SELECT attrelid::regclass::text, attname, o FROM pg_attribute, unnest(attoptions) o
        WHERE o LIKE 'n\\_distinct=%' ORDER BY 1, 2`,
    );
    expect(expected).toEqual(
      tables
        .flatMap(({ name, columns }) =>
          Object.entries(columns).flatMap(([column, { distinctPerRow }]) =>
            distinctPerRow === undefined ? [] : [[name, column, `n_distinct=${(-distinctPerRow).toFixed(4)}`]],
          ),
        )
        .sort(),
    );
    expect(await engine.first(sql`SELECT reloptions::text FROM pg_class WHERE oid = '_visits'::regclass`)).toEqual(["{fillfactor=50}"]);
    expect(await engine.all(sql`SELECT id, created_by, created_at FROM _archive`)).toEqual([[1, "9.9.9", NOON]]);
    expect(await engine.first(sql`SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`)).toEqual([0]);
  });

  test("makes them once, however many come at the same time, and changes nothing the next time", async () => {
    const at = await open();
    const engines = await Promise.all(Array.from({ length: 5 }, () => openPostgres(at.url(), write)));
    const tags = sql`SELECT id, tag, xmin::text FROM _migrations ORDER BY id`;
    const before = await engines[0]?.all(tags);
    expect(before).toHaveLength(8);
    await (await openPostgres(at.url(), { ...write, now: () => NOON + 1 })).close();
    expect(await engines[0]?.all(tags)).toEqual(before);
    for (const engine of engines) await engine.close();
  });

  async function expectMigrated(older: Older): Promise<void> {
    const at = await open();
    await at.prepare(olderSchema(older));
    await using engine = closing(await openPostgres(at.url(), write));
    await older.check(engine);
  }

  test.each(olderArchives)("%s", (_, older) => expectMigrated(older));

  law(
    "makes one coverage of two, which says of every account and sealed snapshot what they said, and each declaration once",
    sized(3, 8),
    [olderNights],
    (nights) => expectMigrated(olderCoverage(nights)),
  );

  test("gives a schema that was made without capabilities their tables as migrations make them; where they were dropped, they are missing", async () => {
    const at = await open();
    const reopened = async (options: typeof read | typeof write) => (await openPostgres(at.url(), options)).close();
    await reopened(write);
    const made = await at.rows(CATALOG);
    const names = broughtTables.map(({ name }) => name);
    const drop = `DROP TABLE ${names.map((name) => `movedex.${name}`).join(", ")} CASCADE`;
    await at.prepare(
      `${drop}; UPDATE movedex._archive SET views_digest = 'other'; DELETE FROM movedex.documentation WHERE relation IN ('${names.join("', '")}')`,
    );
    await expect(reopened(read)).rejects.toMatchObject({ code: "MOVEDEX_STORE_OLDER" });
    await Promise.all([reopened(write), reopened(write)]);
    expect(await at.rows(CATALOG)).toEqual(made);
    await reopened(read);
    await at.prepare(drop);
    for (const options of [read, write])
      await expect(reopened(options)).rejects.toMatchObject({
        code: "MOVEDEX_STORE_DAMAGED",
        message: expect.stringContaining("is missing"),
      });
  });

  test("refuses a newer movedex's, an older one's to read, and somebody else's schema", async () => {
    const at = await open();
    await at.prepare("CREATE SCHEMA theirs; CREATE TABLE theirs.things (x int)");
    for (const options of [write, read]) {
      await expect(openPostgres(`${at.url()}?schema=theirs`, options)).rejects.toMatchObject({ code: "MOVEDEX_STORE_FOREIGN" });
    }
    await (await openPostgres(at.url(), write)).close();
    await at.prepare("INSERT INTO movedex._migrations VALUES (99, '0099_later', now())");
    for (const options of [write, read])
      await expect(openPostgres(at.url(), options)).rejects.toMatchObject({ code: "MOVEDEX_STORE_NEWER" });
    await at.prepare("DELETE FROM movedex._migrations WHERE id > 0");
    await expect(openPostgres(at.url(), read)).rejects.toMatchObject({ code: "MOVEDEX_STORE_MISSING" });
  });

  test("takes away no table that was in the schema before", async () => {
    const at = await open();
    const record = "CREATE TABLE movedex._migrations (id bigint PRIMARY KEY, tag text NOT NULL, applied_at timestamptz NOT NULL)";
    await at.prepare(`CREATE SCHEMA movedex; ${record}; CREATE TABLE movedex.theirs (x int)`);
    await (await openPostgres(at.url(), write)).close();
    await at.prepare("INSERT INTO movedex.theirs VALUES (1)");
  });

  test("says who has no right to make a schema, and uses an empty one that was made for it", async () => {
    const at = await open();
    await at.prepare(`CREATE ROLE ${at.name} LOGIN PASSWORD 'x'`);
    await expect(openPostgres(at.url(`${at.name}:x`), write)).rejects.toMatchObject({
      code: "MOVEDEX_STORE_READ_ONLY",
      message: expect.stringContaining("A role that writes needs CREATE on the database, or a schema of its own, and TEMPORARY"),
    });
    await at.prepare(`CREATE SCHEMA movedex AUTHORIZATION ${at.name}`);
    await (await openPostgres(at.url(`${at.name}:x`), write)).close();
  });
});
