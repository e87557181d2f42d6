import { hostname } from "node:os";
import { printable } from "../../core/base/printable.ts";
import type { OpenDatabase, OpenOptions, ReadOptions, WriteOptions } from "../../core/db/engine/database.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { olderTables, placeError, type StoreError } from "../../core/db/engine/errors.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { readAddress } from "./address.ts";
import { type PostgresOptions, postgresEngine } from "./postgresql-engine.ts";
import { installPostgresViews, type SchemaPlace } from "./tables/install-views.ts";
import { addTables, assertTables, migratePostgres, readSchemaState, type SchemaState } from "./tables/migrate.ts";

/** How long a run waits for a server that went away in the midst of it, as in a restart. */
const PATIENCE_MS = 5 * 60_000;

/** After how long one who has its locks, and waits for a connection more, hears why: a proxy whose pool is too small has none, ever. */
const LATE_MS = 5_000;
const NO_CONNECTION = "beside those of its locks the run has no connection yet: is the pool of a proxy too small? (docs/postgresql.md)";

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
    const late = setTimeout(() => options.onNotice?.(NO_CONNECTION), LATE_MS);
    await engine.first(sql`SELECT 1`).finally(() => clearTimeout(late));
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
      const isMigrated = await migratePostgres(engine, { ...place, now: now(), appVersion });
      if (isMigrated) options.onNotice?.("brought the tables up to date; there is no copy of the server's tables as they were");
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

// A limit that a role or database sets to transactions (PostgreSQL 17) would end it in the midst of a night, and nobody would hear of it.
const introduce = sql`SELECT set_config('application_name', :who, true),
  (SELECT set_config(s.name, '0', true) FROM pg_settings s WHERE s.name = 'transaction_timeout')`;
const key = sql`hashtextextended(:name, 0)`;
const take = sql<[0 | 1]>`SELECT CASE WHEN pg_try_advisory_xact_lock(${key}) THEN 1 ELSE 0 END`;
const takeShared = sql<[0 | 1]>`SELECT CASE WHEN pg_try_advisory_xact_lock_shared(${key}) THEN 1 ELSE 0 END`;
// The two halves of a key are in two columns; each database has locks of its own.
const findHolder = sql<[string]>`SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
  WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
  AND l.objsubid = 1 AND (CAST(l.classid AS bigint) << 32) | CAST(l.objid AS bigint) = ${key} LIMIT 1`;

/**
 * Takes an advisory lock of a schema on a server, exclusive or shared, and gives what frees it. It is held by a transaction on a connection
 * of its own, so that a pooling proxy keeps it too, and ends with the process; of a machine that is gone the server learns by keepalives. A
 * server that restarts forgets it.
 * @throws StoreError `MOVEDEX_STORE_LOCKED` when another process has it
 */
export async function takeServerLock(
  address: string,
  name: string,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Promise<() => Promise<void>> {
  const { schema, label } = readAddress(address);
  const engine = await postgresEngine(address, { connections: 1, isOfRun: name.startsWith("night:") });
  const values = { name: `${schema} ${name}` };
  const begun = Promise.withResolvers<boolean>();
  const released = Promise.withResolvers<void>();
  const whole = engine.transaction(async (tx) => {
    await tx.all(introduce, { who: `movedex ${hostname()}:${process.pid}` });
    const [isTaken] = (await tx.first(isShared ? takeShared : take, values)) ?? [0];
    begun.resolve(isTaken === 1);
    if (isTaken === 1) await released.promise;
  });
  whole.catch(begun.reject);
  try {
    if (!(await begun.promise)) throw lockedBy(label, name, (await engine.first(findHolder, values))?.[0]);
    // A lost lock shows in nothing: all that needs it to be right is right without it.
    return async () => {
      released.resolve();
      // A server that hangs answers no COMMIT; closing then cuts the connection.
      await Promise.race([whole.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
      await engine.close();
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function lockedBy(label: string, name: string, holder: string | undefined): StoreError {
  const who = holder?.startsWith("movedex ") ? ` (${printable(holder.slice("movedex ".length), 200)})` : "";
  const text = `another run of movedex holds \`${name}\` of \`${label}\`${who}. Wait for it to end; only one may do that at a time.`;
  return placeError(label, "MOVEDEX_STORE_LOCKED", text, { lock: name });
}
