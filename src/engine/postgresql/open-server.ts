import { sql } from "../../schema/sql/sql.ts";
import type { OpenDatabase, OpenOptions, ReadOptions, WriteOptions } from "../database.ts";
import type { Engine } from "../engine.ts";
import { olderTables, placeError } from "../errors.ts";
import { holdLease } from "../leases/leases.ts";
import { readAddress } from "./address.ts";
import { type PostgresOptions, postgresEngine } from "./postgresql-engine.ts";
import { assertTables } from "./tables/expected-tables.ts";
import { installPostgresViews, type SchemaPlace } from "./tables/install-views.ts";
import { migratePostgres, readSchemaState, type SchemaState } from "./tables/migrate.ts";

/** How long a run waits for a server that went away in the midst of it, as in a restart. */
const PATIENCE_MS = 5 * 60_000;

/** How long a right waits for a server that is away, to be given back: whoever wants it next would wait longer. */
const RELEASE_MS = 10_000;

// A restore makes the tables anew, or fills them anew; either gives them other files.
const tables = sql`SELECT d.oid, pg_relation_filenode(to_regclass('_addresses')), pg_relation_filenode(to_regclass('_bytecodes'))
  FROM pg_database d WHERE d.datname = current_database()`;

/** Opens a PostgreSQL database as `openSqlite` opens a file. The right to write in it is not taken: that is a lease. @throws StoreError */
export async function openServer(address: string, options: OpenOptions): Promise<OpenDatabase> {
  const engine = await openPostgres(address, optionsFor(options));
  const watch: OpenDatabase["watch"] = async () => {
    const opened = await tablesOf(engine);
    return { changes: undefined, isReplaced: async () => (await tablesOf(engine)) !== opened };
  };
  return { engine, close: engine.close, watch };
}

function optionsFor(options: OpenOptions): OpenPostgresOptions {
  if (options.mode === "read") return options;
  // Beside a run: no lease, and so none of the statements that look at it; nor is a database made or migrated.
  return options.mode === "join" ? { mode: "read", patienceMs: PATIENCE_MS } : { ...options, patienceMs: PATIENCE_MS };
}

/** How a database is opened: to write (its schema made when missing, migrated), or to read (never changed or made). */
export type OpenPostgresOptions = PostgresOptions &
  (Pick<WriteOptions, "mode" | "now" | "appVersion" | "viewsAnew"> | Pick<ReadOptions, "mode" | "isForeign">);

/** Opens a PostgreSQL database with today's tables and views. @throws StoreError; ConfigError for an address that cannot be read */
export async function openPostgres(text: string, options: OpenPostgresOptions): Promise<Engine> {
  const place = readAddress(text);
  const engine = await postgresEngine(text, options);
  try {
    if (options.mode === "write") {
      const { now, appVersion = "movedex", viewsAnew: anew = false } = options;
      await migratePostgres(engine, { ...place, now: now(), appVersion });
      await installPostgresViews(engine, { ...place, anew });
    } else {
      assertReadable(await readSchemaState(engine, place), place);
      if (options.isForeign) await assertTables(engine, place.label);
    }
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function assertReadable({ applied, known }: SchemaState, { schema, label }: SchemaPlace): void {
  if (applied === known) return;
  if (applied > 0) throw olderTables(label, applied, known, { schema });
  const text = `there is no schema \`${schema}\` of movedex in \`${label}\`. Name another database with --db, or make it with \`movedex sync\`.`;
  throw placeError(label, "MOVEDEX_STORE_MISSING", text, { schema, applied, known });
}

/** Takes an exclusive lock on a PostgreSQL database, such as the lock of the night. @throws StoreError `MOVEDEX_STORE_LOCKED` */
export async function takeServerRight(address: string, name: string, now: () => number): Promise<() => Promise<void>> {
  const engine = await openPostgres(address, { mode: "write", now, patienceMs: RELEASE_MS });
  try {
    const release = await holdLease(engine, name, now);
    return async () => {
      await release();
      await engine.close();
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

async function tablesOf(engine: Engine): Promise<string> {
  return String(await engine.first(tables));
}
