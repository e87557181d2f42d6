import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import pg from "pg";
import { expect } from "vitest";
import { judgedRows } from "../../../src/capabilities/changes/judge/check-judgements.ts";
import { judgeChanges } from "../../../src/capabilities/changes/judge/judge.ts";
import { openPostgres } from "../../../src/capabilities/postgresql/open-server.ts";
import { searchQueries } from "../../../src/capabilities/search/search.ts";
import { openVerification } from "../../../src/capabilities/verify/verify.ts";
import { closing } from "../../../src/core/base/async.ts";
import { packageFile } from "../../../src/core/base/files.ts";
import { derivationQueries } from "../../../src/core/db/archive/content/derive.ts";
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { eachPostgres, type TestDatabase } from "../../engine/support/postgres-databases.ts";
import { NOON, temporaryDirectory, test } from "../../support/index.ts";
import { startViews, writeStartArchive } from "../../support/store/start-archive.ts";
import { viewDigests } from "../../support/store/view-rows.ts";

/** As a run, it waits for others that migrate for longer than the ten seconds that are the default. */
const write = { mode: "write", now: () => NOON, lockTimeoutMs: 600_000 } as const;
const columnsOf = `SELECT table_name, column_name, data_type, is_identity = 'YES' AS is_identity FROM information_schema.columns
  WHERE table_schema = 'movedex' AND table_name NOT IN ('migrations', 'search_index') ORDER BY table_name, ordinal_position`;

type Column = { readonly table_name: string; readonly column_name: string; readonly data_type: string; readonly is_identity: boolean };

/** Makes the schema as the first movedex made it, with the rows of the file of that time. */
async function writeStartSchema({ port, name }: TestDatabase): Promise<void> {
  using place = temporaryDirectory();
  const path = writeStartArchive(place.file("start.db"));
  const file = new Database(path, { readonly: true }).defaultSafeIntegers(true);
  const client = new pg.Client({ host: "127.0.0.1", port, database: name, user: "postgres" });
  await client.connect();
  try {
    // Tables are filled in the order of their names: what they refer to may come later.
    await client.query("CREATE SCHEMA movedex; SET search_path = movedex; SET session_replication_role = replica");
    await client.query("CREATE TABLE migrations (id bigint PRIMARY KEY, tag text NOT NULL, applied_at timestamptz NOT NULL)");
    await client.query("INSERT INTO migrations VALUES (0, 'the row that a migration locks', now()), (1, '0000_start', now())");
    await client.query(
      readFileSync(packageFile("migrations/postgresql/0000_start.sql"), "utf8").replaceAll("--> statement-breakpoint", ""),
    );
    await client.query(
      "CREATE TABLE search_index (id bigint PRIMARY KEY, words tsvector NOT NULL); INSERT INTO search_index VALUES (4, 'coin')",
    );
    await client.query("CREATE INDEX search_index_by_words ON search_index USING gin (words)");
    const { rows } = await client.query<Column>(columnsOf);
    for (const [table, columns] of Map.groupBy(rows, ({ table_name }) => table_name)) {
      const names = columns.map(({ column_name }) => `"${column_name}"`).join(", ");
      const places = columns.map((_, i) => `$${i + 1}`).join(", ");
      for (const row of file.prepare<[], unknown[]>(`SELECT ${names} FROM ${table}`).raw().iterate()) {
        const cells = row.map((cell, i) => cellFor(cell, columns[i] as Column));
        await client.query(`INSERT INTO ${table} (${names}) VALUES (${places})`, cells);
      }
      for (const { column_name: id } of columns.filter(({ is_identity }) => is_identity))
        await client.query(
          `SELECT setval(pg_get_serial_sequence('${table}', '${id}'), coalesce(max("${id}"), 0) + 1, false) FROM ${table}`,
        );
    }
    await client.query(startViews());
  } finally {
    await client.end();
    file.close();
  }
}

function cellFor(cell: unknown, { data_type: type }: Column): unknown {
  if (cell === null || cell instanceof Uint8Array) return cell;
  if (type === "boolean") return cell === 1n;
  return type === "timestamp with time zone" ? new Date(Number(cell)) : String(cell);
}

eachPostgres("a schema of the first tables", (open) => {
  test("holds what the file of the same rows does, once both are opened to write and derived", async ({ place }) => {
    const [at, path] = [await open(), writeStartArchive(place.file("start.db"))];
    await writeStartSchema(at);
    await expect(openStore(at.url(), { mode: "read" })).rejects.toMatchObject({
      code: "MOVEDEX_STORE_OLDER",
      message: expect.stringContaining("has older tables (1 of 8 migrations), and reading may not change it. Run `movedex sync`"),
    });
    expect(await databaseAt(at.url()).isThere(), "what a run asks before it writes").toBe(true);
    const answers = [];
    for (const of of [at.url(), path]) {
      await using store = await openStore(of, write);
      const underived = await derivationQueries(store.engine).underived();
      expect(underived).toBeGreaterThan(0);
      expect(await derivationQueries(store.engine).derive()).toEqual({ derived: underived, undecodable: 1 });
      await judgeChanges(store.engine);
      const hits = [];
      for (const words of ["e", "coin", "pool", "called"])
        hits.push(await searchQueries(store.engine).search(words, { kinds: [], withGone: true, limit: 100 }));
      answers.push(hits);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(await viewDigests(at.url())).toEqual(await viewDigests(path));
    const verification = await openVerification(at.url());
    for await (const { damage } of verification.run({ part: 0, of: 1 }, [judgedRows])) expect(damage).toEqual([]);
    await verification.close();
    await using engine = closing(await openPostgres(at.url(), { mode: "read" }));
    const left = sql`SELECT CAST(c.relname AS text) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = 'movedex' AND c.relkind = 'r' AND c.relname NOT LIKE '\\_%'`;
    expect(await engine.all(left)).toEqual([["documentation"]]);
  });

  test("is migrated once, however many come at the same time", async () => {
    const at = await open();
    await writeStartSchema(at);
    const said: string[] = [];
    const onNotice = (sentence: string): void => void said.push(sentence);
    const engines = await Promise.all(Array.from({ length: 4 }, () => openPostgres(at.url(), { ...write, onNotice })));
    expect(said).toEqual(["brought the tables up to date; there is no copy of the server's tables as they were"]);
    expect(await engines[0]?.all(sql`SELECT tag FROM _migrations WHERE id > 0 ORDER BY id`)).toEqual([
      ["0000_start"],
      ["0001_plain_tables"],
      ["0002_judged_upgrades"],
      ["0003_judgement_findings"],
      ["0004_watch_uses"],
      ["0005_trace_changes"],
      ["0006_wide_references"],
      ["0007_fewer_things"],
    ]);
    for (const engine of engines) await engine.close();
  });

  test("is left as it was where people's views stand on movedex's, and says what to do; others stay", async () => {
    const at = await open();
    await writeStartSchema(at);
    await at.prepare(
      "CREATE VIEW movedex.mine AS SELECT address FROM movedex.functions_latest; CREATE VIEW movedex.one AS SELECT 1 AS one",
    );
    await expect(openPostgres(at.url(), write)).rejects.toMatchObject({
      code: "MOVEDEX_STORE_MIGRATION",
      message: expect.stringContaining("Drop yours (`DROP VIEW`), run this again, and make them anew. Nothing was changed."),
    });
    await expect(openStore(at.url(), { mode: "read" })).rejects.toMatchObject({ code: "MOVEDEX_STORE_OLDER" });
    await at.prepare("DROP VIEW movedex.mine");
    await using engine = closing(await openPostgres(at.url(), write));
    expect(await engine.all(sql`SELECT one FROM one`)).toEqual([[1]]);
  });
});
