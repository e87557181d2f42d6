import { readAddress } from "../../base/postgresql-address.ts";
import type { Engine } from "../engine/engine.ts";
import { openPostgres } from "../engine/postgresql/open-postgres.ts";
import { failureCode } from "../engine/postgresql/postgresql-errors.ts";
import { fencedEngine } from "../work/fenced-engine.ts";
import { heldUntilReleased, holdLease, LEASE_MS } from "../work/hold-lease.ts";
import { keepAlive, type Worker } from "../work/sharing.ts";
import { joinWorkers, leaveWorkers, takeWriter, type WorkerCounts } from "../work/workers.ts";
import { mendChainId } from "./chain-id.ts";
import type { OpenOptions, WriteOptions } from "./open-sqlite.ts";

/** An open PostgreSQL database. */
export type OpenServer = {
  readonly engine: Engine;
  readonly close: () => Promise<void>;
  /** Where it was opened to share the work. */
  readonly worker?: Worker & { readonly tell: (counts: Partial<WorkerCounts>) => void };
};

/** How long a run waits for a server that went away in the midst of it, as in a restart. */
const PATIENCE_MS = 5 * 60_000;

/**
 * Opens a PostgreSQL database as `openSqlite` opens a file. Who writes alone holds a lease, renewed while it is open and looked
 * at by each of its writing transactions; who shares the work has one of its own.
 *
 * @throws StoreError `MOVEDEX_STORE_LOCKED` when another run writes alone, or others share the work that this one wants alone
 */
export async function openServer(address: string, options: OpenOptions): Promise<OpenServer> {
  if (options.mode === "join") {
    // Beside a run: no lease, and so none of the statements that look at it; nor is a database made or migrated.
    const engine = await openPostgres(address, { mode: "read", now: () => 0, patienceMs: PATIENCE_MS });
    return { engine, close: engine.close };
  }
  if (options.mode !== "write") {
    const engine = await openPostgres(address, { ...options, mode: "read", now: () => 0 });
    return { engine, close: engine.close };
  }
  const { now, appVersion, share, onNotice = () => {} } = options;
  const { label } = readAddress(address, {});
  const ttlMs = share?.leaseMs ?? LEASE_MS;
  const engine = await openPostgres(address, {
    mode: "write",
    now,
    patienceMs: PATIENCE_MS,
    onWait: waitNotice(label, now, onNotice),
    // Before its leases end: what it had begun then holds up nobody who takes them over.
    ...(share === undefined ? {} : { idleTimeoutMs: Math.ceil(ttlMs / 2) }),
    ...(appVersion === undefined ? {} : { appVersion }),
  });
  try {
    const mended = await engine.transaction((tx) => mendChainId(tx, label));
    if (mended !== undefined) onNotice(mended);
    return share === undefined ? await openAlone(engine, now) : await openShared(engine, share, { now, ttlMs });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/**
 * Connections of a worker's own besides those that it was opened with, for a thread of it that holds leases in the worker's name. As with
 * those the server gives up a transaction that stands still before such leases end.
 */
export function openBesideWorker(address: string, ttlMs = LEASE_MS): Promise<Engine> {
  return openPostgres(address, { mode: "read", now: () => 0, patienceMs: PATIENCE_MS, idleTimeoutMs: Math.ceil(ttlMs / 2) });
}

/** Says once for each time that the server is away that it is waited for, however many wait. */
function waitNotice(label: string, now: () => number, onNotice: (sentence: string) => void): (reason: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (reason) => {
    if (now() - toldAt < PATIENCE_MS) return;
    toldAt = now();
    const minutes = PATIENCE_MS / 60_000;
    onNotice(
      `the database \`${label}\` does not answer (${failureCode(reason) ?? "cut off"}); waiting for it for up to ${minutes} minutes, then going on`,
    );
  };
}

async function openAlone(engine: Engine, now: () => number): Promise<OpenServer> {
  const { lease, release } = heldUntilReleased(engine, await takeWriter(engine, { now, ttlMs: LEASE_MS }), now);
  const close = async () => {
    await release();
    await engine.close();
  };
  return { engine: fencedEngine(engine, lease), close };
}

async function openShared(
  raw: Engine,
  identity: NonNullable<WriteOptions["share"]>,
  options: { readonly now: () => number; readonly ttlMs: number },
): Promise<OpenServer> {
  const lease = await joinWorkers(raw, identity, options);
  const worker = { lease, raw, options };
  const { tell, end } = keepAlive(worker, options.ttlMs);
  const close = async () => {
    end();
    await leaveWorkers(raw, lease.owner).catch(() => {});
    await raw.close();
  };
  return { engine: fencedEngine(raw, lease), close, worker: { ...worker, tell } };
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
