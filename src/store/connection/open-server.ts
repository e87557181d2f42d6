import type { Engine } from "../engine/engine.ts";
import { openPostgres } from "../engine/postgresql/open-postgres.ts";
import { fencedEngine } from "../work/fenced-engine.ts";
import { heldByAnother, type Lease, releaseLease, renewLease, takeLease } from "../work/leases.ts";
import type { OpenOptions } from "./open-sqlite.ts";

/** An open PostgreSQL database. */
export type OpenServer = { readonly engine: Engine; readonly close: () => Promise<void> };

/** The lease of who writes: as with a file, one run at a time. */
const WRITER = "write";
/** How long others wait for a run that died. */
const TTL_MS = 30_000;
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
    const lease = await takeLease(engine, WRITER, { now, ttlMs: TTL_MS });
    if (lease === undefined) throw await heldByAnother(engine, WRITER);
    const renewing = renewOnAndOn(engine, lease, now);
    const close = async () => {
      clearInterval(renewing);
      // Where that fails the lease ends by itself.
      await releaseLease(engine, lease).catch(() => {});
      await engine.close();
    };
    return { engine: fencedEngine(engine, lease, { now, ttlMs: TTL_MS }), close };
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Renews a lease three times in its span. A server that is away for the moment gives it to nobody else either; what writes will tell. */
function renewOnAndOn(engine: Engine, lease: Lease, now: () => number): NodeJS.Timeout {
  const renew = () => void renewLease(engine, lease, { now, ttlMs: TTL_MS }).catch(() => {});
  return setInterval(renew, TTL_MS / 3).unref();
}
