import { installServerIndex } from "../content/words/search-index-server.ts";
import type { Engine } from "../engine/engine.ts";
import { openPostgres } from "../engine/postgresql/open-postgres.ts";
import { fencedEngine } from "../work/fenced-engine.ts";
import { holdLease, LEASE_MS } from "../work/hold-lease.ts";
import type { OpenOptions } from "./open-sqlite.ts";

/** An open PostgreSQL database. */
export type OpenServer = { readonly engine: Engine; readonly close: () => Promise<void> };

/** The lease of who writes: as with a file, one run at a time. */
const WRITER = "write";
/** How long a run waits for a server that went away in the midst of it, as in a restart. */
const PATIENCE_MS = 5 * 60_000;

/**
 * Opens a PostgreSQL database as `openSqlite` opens a file. Who writes holds a lease, renewed while it is open and looked at
 * by each of its writing transactions.
 *
 * @throws StoreError `MOVEDEX_STORE_LOCKED` when another run writes
 */
export async function openServer(address: string, options: OpenOptions): Promise<OpenServer> {
  if (options.mode !== "write") {
    const engine = await openPostgres(address, { mode: "read", now: () => 0 });
    return { engine, close: engine.close };
  }
  const { now, appVersion } = options;
  const engine = await openPostgres(address, {
    mode: "write",
    now,
    patienceMs: PATIENCE_MS,
    ...(appVersion === undefined ? {} : { appVersion }),
  });
  try {
    await engine.transaction(installServerIndex);
    const { lease, release } = await holdLease(engine, WRITER, now);
    const close = async () => {
      await release();
      await engine.close();
    };
    return { engine: fencedEngine(engine, lease, { now, ttlMs: LEASE_MS }), close };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Takes a right to a PostgreSQL database that one process at a time has, such as that to its night. @throws StoreError `MOVEDEX_STORE_LOCKED` */
export async function takeServerRight(address: string, name: string, now: () => number): Promise<() => Promise<void>> {
  const engine = await openPostgres(address, { mode: "write", now });
  try {
    const { release } = await holdLease(engine, name, now);
    return async () => {
      await release();
      await engine.close();
    };
  } catch (error) {
    await engine.close();
    throw error;
  }
}
