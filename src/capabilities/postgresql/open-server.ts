import type { OpenDatabase, OpenOptions, ReadOptions, WriteOptions } from "../../core/db/engine/database.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { olderTables, placeError } from "../../core/db/engine/errors.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { readAddress } from "./address.ts";
import { type PostgresOptions, postgresEngine } from "./postgresql-engine.ts";
import { takeServerLock } from "./server-lock.ts";
import { installPostgresViews, type SchemaPlace } from "./tables/install-views.ts";
import { addTables, assertTables, migratePostgres, readSchemaState, type SchemaState } from "./tables/migrate.ts";

/** How long a run waits for a server that went away in the midst of it, as in a restart. */
const PATIENCE_MS = 5 * 60_000;

/** A process beside others that stands still in the midst of a transaction for so long loses it: the others wait for its end. */
const IDLE_MS = 15_000;

// A restore makes the tables anew, or fills them anew; either gives them other files.
const tables = sql`SELECT d.oid, pg_relation_filenode(to_regclass('_addresses')), pg_relation_filenode(to_regclass('_bytecodes'))
  FROM pg_database d WHERE d.datname = current_database()`;

/** Opens a PostgreSQL database as `openSqlite` opens a file. @throws StoreError; `MOVEDEX_STORE_LOCKED` when another run excludes it */
export async function openServer(address: string, options: OpenOptions): Promise<OpenDatabase> {
  await using opened = new AsyncDisposableStack();
  const engine = await openPostgres(address, optionsFor(options));
  opened.defer(engine.close);
  if (options.mode === "write") {
    opened.defer(await takeServerLock(address, "write", { isShared: options.beside !== undefined }));
    if (options.beside === "backfill") opened.defer(await takeServerLock(address, "backfill"));
  }
  const watch: OpenDatabase["watch"] = async () => {
    const opened = await tablesOf(engine);
    return { changes: undefined, isReplaced: async () => (await tablesOf(engine)) !== opened };
  };
  const whole = opened.move();
  return { engine, close: () => whole.disposeAsync(), watch };
}

function optionsFor(options: OpenOptions): OpenPostgresOptions {
  if (options.mode === "read") return options;
  // Beside a run: nothing is locked, and no database is made or migrated.
  if (options.mode === "join") return { mode: "read", patienceMs: PATIENCE_MS, whenBusy: options.whenBusy };
  return { ...options, isOfRun: true, ...(options.beside !== undefined && { idleTimeoutMs: IDLE_MS }), patienceMs: PATIENCE_MS };
}

/** How a database is opened: to write (its schema made when missing, migrated), or to read (never changed or made). */
export type OpenPostgresOptions = PostgresOptions &
  (Pick<WriteOptions, "mode" | "now" | "appVersion" | "viewsAnew"> | Pick<ReadOptions, "mode">);

/** Opens a PostgreSQL database with today's tables and views. @throws StoreError; ConfigError for an address that cannot be read */
export async function openPostgres(text: string, options: OpenPostgresOptions): Promise<Engine> {
  const place = readAddress(text);
  const engine = await postgresEngine(text, options);
  try {
    if (options.mode === "write") {
      const { now, appVersion = "movedex", viewsAnew: anew = false } = options;
      await migratePostgres(engine, { ...place, now: now(), appVersion });
      if ((await assertTables(engine, place.label)).length > 0) await addTables(engine, place);
      await installPostgresViews(engine, { ...place, anew });
    } else {
      const state = await readSchemaState(engine, place);
      assertReadable(state, place);
      if ((await assertTables(engine, place.label)).length > 0) throw olderTables(place.label, state.applied, state.known);
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
  const text = `there is no schema \`${schema}\` of movedex in \`${label}\`. Name another database, or make it with \`movedex sync\`.`;
  throw placeError(label, "MOVEDEX_STORE_MISSING", text, { schema, applied, known });
}

async function tablesOf(engine: Engine): Promise<string> {
  return String(await engine.first(tables));
}
