import { sql } from "../../schema/sql/sql.ts";
import type { OpenDatabase, OpenOptions, WriteOptions } from "../database.ts";
import type { Engine } from "../engine.ts";
import { holdLease } from "../leases/leases.ts";
import { readAddress } from "./address.ts";
import { type OpenPostgresOptions, openPostgres } from "./open-postgres.ts";
import { failureCode } from "./postgresql-errors.ts";

/** How long a run waits for a server that went away in the midst of it, as in a restart. */
const PATIENCE_MS = 5 * 60_000;

/** How long a right waits for a server that is away, to be given back: whoever wants it next would wait longer. */
const RELEASE_MS = 10_000;

// A restore makes the tables anew, or fills them anew; either gives them other files.
const tables = sql`SELECT d.oid, pg_relation_filenode(to_regclass('_addresses')), pg_relation_filenode(to_regclass('_bytecodes'))
  FROM pg_database d WHERE d.datname = current_database()`;

/** Opens a PostgreSQL database as `openSqlite` opens a file. The right to write in it is not taken: that is a lease. @throws StoreError */
export async function openServer(address: string, options: OpenOptions): Promise<OpenDatabase> {
  const engine = await openPostgres(address, optionsFor(address, options));
  const watch: OpenDatabase["watch"] = async () => {
    const opened = await tablesOf(engine);
    return { changes: undefined, isReplaced: async () => (await tablesOf(engine)) !== opened };
  };
  return { engine, close: engine.close, watch };
}

function optionsFor(address: string, options: OpenOptions): OpenPostgresOptions {
  if (options.mode === "read") return options;
  // Beside a run: no lease, and so none of the statements that look at it; nor is a database made or migrated.
  if (options.mode === "join") return { mode: "read", patienceMs: PATIENCE_MS };
  const { label } = readAddress(address);
  return { ...options, patienceMs: PATIENCE_MS, onWait: waitNotice(label, options.now, options.onNotice) };
}

/** Says once for each time that the server is away that it is waited for, however many wait. */
function waitNotice(label: string, now: () => number, onNotice: WriteOptions["onNotice"]): (reason: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (reason) => {
    if (now() - toldAt < PATIENCE_MS) return;
    toldAt = now();
    const minutes = PATIENCE_MS / 60_000;
    onNotice?.(
      `the database \`${label}\` does not answer (${failureCode(reason) ?? "cut off"}); waiting for it for up to ${minutes} minutes, then going on`,
    );
  };
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
