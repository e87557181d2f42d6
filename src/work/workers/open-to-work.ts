import { mendChainId } from "../../archive/chain.ts";
import type { OpenDatabase, OpenOptions, WriteOptions } from "../../engine/database.ts";
import { databaseAt } from "../../engine/database-at.ts";
import type { Engine } from "../../engine/engine.ts";
import { fencedEngine } from "../../engine/leases/fenced-engine.ts";
import { keepLease, LEASE_MS } from "../../engine/leases/leases.ts";
import type { Worker } from "./sharing.ts";
import { joinWorkers, leaveWorkers, sendHeartbeat, takeWriter, type WorkerCounts, type WorkerIdentity } from "./workers.ts";

/** A worker of a database that can be shared. `leaseMs` is how long others wait for it when it shows no sign of life. */
export type Share = WorkerIdentity & { readonly leaseMs?: number };

/** How a store is opened. `onNotice` hears too what was put right, and that another worker took a turn over. */
export type StoreOptions = Exclude<OpenOptions, WriteOptions> | (WriteOptions & { readonly share?: Share });

/** An open database; `worker` where it was opened to share the work. */
export type Opened = Pick<OpenDatabase, "engine" | "close"> & { readonly worker?: Worker };

/**
 * Opens a database. Who writes alone to a shared one holds a lease that each writing transaction checks; a worker has its own.
 * @throws StoreError `MOVEDEX_STORE_LOCKED` when another run writes alone, or workers are there and this one wants to be alone
 */
export async function openToWork(path: string, options: StoreOptions): Promise<Opened> {
  const database = databaseAt(path);
  if (options.mode !== "write") return database.open(options);
  const { share, now } = options;
  const ttlMs = share?.leaseMs ?? LEASE_MS;
  // The server drops a stalled worker before its leases end: its open transaction then blocks nobody who takes the leases over.
  const isShared = database.isShareable && share !== undefined;
  const { engine, close } = await database.open(isShared ? { ...options, idleTimeoutMs: Math.ceil(ttlMs / 2) } : options);
  try {
    const mended = await engine.transaction((tx) => mendChainId(tx, path));
    if (mended !== undefined) options.onNotice?.(mended);
    if (!database.isShareable) return { engine, close };
    return share === undefined ? await openAlone(engine, now) : await openShared(engine, share, { now, ttlMs });
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAlone(engine: Engine, now: () => number): Promise<Opened> {
  const lease = await takeWriter(engine, { now, ttlMs: LEASE_MS });
  const release = keepLease(engine, lease, now);
  const close = async () => {
    await release();
    await engine.close();
  };
  return { engine: fencedEngine(engine, lease), close };
}

async function openShared(raw: Engine, identity: Share, options: { readonly now: () => number; readonly ttlMs: number }): Promise<Opened> {
  const lease = await joinWorkers(raw, identity, options);
  let counts: WorkerCounts = { accounts: 0, requests: 0, perMinute: 0 };
  // While the server is away it gives the leases to nobody else. A lost lease shows when the next write fails.
  const beat = () => void sendHeartbeat(raw, lease.owner, counts, options).catch(() => {});
  const beating = setInterval(beat, options.ttlMs / 3).unref();
  const reportCounts = (changed: Partial<WorkerCounts>): void => {
    counts = { ...counts, ...changed };
  };
  const close = async () => {
    clearInterval(beating);
    await leaveWorkers(raw, lease.owner).catch(() => {});
    await raw.close();
  };
  return { engine: fencedEngine(raw, lease), close, worker: { lease, raw, options, reportCounts } };
}
