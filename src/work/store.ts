import { mendChainId } from "../archive/chain.ts";
import { closing } from "../base/closing.ts";
import type { OpenOptions, WriteOptions } from "../engine/database.ts";
import { databaseAt } from "../engine/database-at.ts";
import type { Engine } from "../engine/engine.ts";
import { StoreError } from "../engine/errors.ts";
import { fencedEngine } from "../engine/leases/fenced-engine.ts";
import { keepLease, LEASE_MS } from "../engine/leases/leases.ts";
import type { Sharing } from "./workers/sharing.ts";
import { joinWorkers, leaveWorkers, sendHeartbeat, takeWriter, type WorkerCounts, type WorkerIdentity } from "./workers/workers.ts";

/** An open movedex database. Its questions are asked by query modules, such as `pinQueries(engine)`. */
export type Store = {
  readonly engine: Engine;
  readonly sharing: Sharing;
  /** Frees the lock or the lease. A file that was open for writing takes in its log first. */
  readonly close: () => Promise<void>;
};

/** A worker of a database that can be shared. `leaseMs` is how long others wait for it when it shows no sign of life. */
type Share = WorkerIdentity & { readonly leaseMs?: number };

/** How a store is opened. `onNotice` hears too what was put right, and that another worker took a turn over. */
type StoreOptions = Exclude<OpenOptions, WriteOptions> | (WriteOptions & { readonly share?: Share });

type Means = { readonly now: () => number; readonly ttlMs: number; readonly onNotice?: ((sentence: string) => void) | undefined };

/**
 * Opens a database, a file or a PostgreSQL address: `write` makes, locks and migrates it, `read` changes nothing, `join` writes
 * beside a run. Who writes alone to a shared one holds a lease that each writing transaction checks; a worker has its own.
 * @throws StoreError with the reason's code and what to do; `MOVEDEX_STORE_LOCKED` when another run writes alone, or workers are
 * there and this one wants to be alone
 */
export async function openStore(path: string, options: StoreOptions): Promise<Store & AsyncDisposable> {
  return closing(await open(path, options));
}

/** Opens a database to read it; undefined when there is none yet. @throws StoreError */
export async function openIfThere(path: string): Promise<(Store & AsyncDisposable) | undefined> {
  try {
    return await openStore(path, { mode: "read" });
  } catch (error) {
    if (error instanceof StoreError && error.code === "MOVEDEX_STORE_MISSING") return undefined;
    throw error;
  }
}

async function open(path: string, options: StoreOptions): Promise<Store> {
  const database = databaseAt(path);
  // What is opened to read or to join takes no leases.
  if (options.mode !== "write") return { ...(await database.open(options)), sharing: { take: { now: () => 0 } } };
  const { share, now, onNotice } = options;
  const ttlMs = share?.leaseMs ?? LEASE_MS;
  // The server drops a stalled worker before its leases end: its open transaction then blocks nobody who takes the leases over.
  const isShared = database.isShareable && share !== undefined;
  const { engine, close } = await database.open(isShared ? { ...options, idleTimeoutMs: Math.ceil(ttlMs / 2) } : options);
  try {
    // What reads alone loads nothing that writes.
    const { makeMissingIndex } = await import("../archive/content/search-words.ts");
    const mended = await engine.transaction(async (tx) => {
      await makeMissingIndex(tx);
      return await mendChainId(tx, path);
    });
    if (mended !== undefined) onNotice?.(mended);
    if (!database.isShareable) return { engine, sharing: { take: { now } }, close };
    return share === undefined ? await openAlone(engine, now) : await openShared(engine, share, { now, ttlMs, onNotice });
  } catch (error) {
    await close();
    throw error;
  }
}

async function openAlone(engine: Engine, now: () => number): Promise<Store> {
  const lease = await takeWriter(engine, { now, ttlMs: LEASE_MS });
  const release = keepLease(engine, lease, now);
  const close = async () => {
    await release();
    await engine.close();
  };
  return { engine: fencedEngine(engine, lease), sharing: { take: { now } }, close };
}

async function openShared(raw: Engine, identity: Share, { onNotice = () => {}, ...options }: Means): Promise<Store> {
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
  const take = { ...options, owner: lease.owner };
  return { engine: fencedEngine(raw, lease), sharing: { take, worker: { raw, owner: lease.owner, reportCounts, onNotice } }, close };
}
