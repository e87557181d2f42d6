import type { Engine } from "../../engine/engine.ts";
import { heldByAnother, type Lease, type LeaseOptions, newOwner, renewAll, takeLeaseWithin } from "../../engine/leases/leases.ts";
import { condition, countOf, orUndefined, shapeOf, text, version, whole } from "../../engine/shape.ts";
import { flag, forUpdate, later, now } from "../../schema/sql/functions.ts";
import { named, sql } from "../../schema/sql/sql.ts";

/** What a process that shares the work says of itself. `node` is the URL without credentials. */
export type WorkerIdentity = { readonly command: string; readonly node: string };

/** A process that shares the work, as the others see it. Times in milliseconds, by the database's clock. */
export type WorkerState = Omit<ReturnType<typeof worker.read>, "seenAt" | "now"> & {
  /** How long it has been at work. */
  readonly forMs: number;
  /** How long its last sign of life was ago. */
  readonly silentMs: number;
};

/** An unfinished snapshot, how much of its plan is left, and the estimated requests for it if accounts have one page of modules. */
export type UnfinishedSnapshot = Omit<ReturnType<typeof snapshot.read>, "recordsPerThousand"> & { readonly requestsLeft: number };

/** What a worker has done, told with each sign of life. */
export type WorkerCounts = { readonly accounts: number; readonly requests: number; readonly perMinute: number };

/** The lease of the one process that writes alone, and those of processes that share. */
const WRITER = "write";
const WORKER = "worker:";

/** How long a worker that died is listed. */
const KEPT_MS = 86_400_000;

// A writer that is alone and workers both lock this row first, so that they never miss each other.
const hold = sql`SELECT id FROM _archive WHERE id = 1 ${forUpdate}`;
const liveWriter = sql`SELECT name FROM _leases WHERE name = :name AND until > ${now}`;
const liveWorkers = sql`SELECT name FROM _leases WHERE name LIKE :prefix AND until > ${now} ORDER BY since LIMIT 1`;
// What a worker that died has left would let it write when it comes back.
const clearLeases = sql`DELETE FROM _leases WHERE owner IN (SELECT w.owner FROM _workers w)`;
const clearWorkers = sql`DELETE FROM _workers`;
const clearOld = sql`DELETE FROM _workers WHERE NOT EXISTS (SELECT 1 FROM _leases l WHERE l.owner = _workers.owner AND l.until > ${now})
  AND ${later(sql`_workers.seen_at`, ":kept")} < ${now}`;
const add = sql`INSERT INTO _workers (owner, command, node, since, seen_at, accounts, requests, per_minute)
  VALUES (:owner, :command, :node, ${now}, ${now}, 0, 0, 0)`;
const live = sql`UPDATE _workers SET seen_at = ${now}, accounts = :accounts, requests = :requests, per_minute = :perMinute WHERE owner = :owner`;
const setVersion = sql`UPDATE _workers SET ledger_version = :version::version WHERE owner = :owner`;
const isAlive = sql`EXISTS (SELECT 1 FROM _leases l WHERE l.name = :prefix || w.owner AND l.until > ${now})`;
const others = sql`SELECT count(*) FROM _workers w WHERE w.ledger_version = :version AND w.owner <> :owner AND ${isAlive}`;
const leavings = ["_leases", "_workers"].map((table) => sql`DELETE FROM ${named(table)} WHERE owner = :owner`);
const intervals = sql`CASE WHEN EXISTS (SELECT 1 FROM _leases l WHERE l.owner = w.owner AND l.name LIKE 'trace:%:at:%' AND l.until > ${now})
    THEN (SELECT count(*) FROM _leases l WHERE l.owner = w.owner AND l.name LIKE 'trace:%:group:%' AND l.until > ${now}) END`;
const worker = shapeOf({
  owner: text("w.owner"),
  command: text("w.command"),
  node: text("w.node"),
  since: whole("w.since"),
  seenAt: whole("w.seen_at"),
  now: whole(now),
  /** The snapshot that it reads; undefined while it reads none. */
  ledgerVersion: orUndefined(version("w.ledger_version")),
  accounts: whole("w.accounts"),
  requests: whole("w.requests"),
  perMinute: whole("w.per_minute"),
  batches: whole(sql`(SELECT count(*) FROM _leases l WHERE l.owner = w.owner AND l.name LIKE 'batch:%' AND l.until > ${now})`),
  /** Intervals of changes that it has in hand; undefined while it traces none. */
  intervals: orUndefined(whole(intervals)),
  /** Whether it renewed its leases in time. */
  isAlive: condition(flag(isAlive)),
});
const list = sql`SELECT ${worker.columns} FROM _workers w ORDER BY w.since, w.owner`;
// What is left counts batches that are being read as whole. Whether records are read is taken from a plan's first thousand accounts.
const snapshot = shapeOf({
  ledgerVersion: version("p.ledger_version"),
  planned: whole("p.planned"),
  left: whole(sql`coalesce((SELECT CAST(sum(b.accounts) AS bigint) FROM _batches b WHERE b.ledger_version = p.ledger_version),
    (SELECT count(*) FROM _visits v WHERE v.ledger_version = p.ledger_version AND v.state = 'planned'))`),
  recordsPerThousand: whole(sql`coalesce((SELECT count(*) FILTER (WHERE f.reads_record) * 1000 / nullif(count(*), 0)
    FROM (SELECT v.reads_record FROM _visits v WHERE v.ledger_version = p.ledger_version ORDER BY v.position LIMIT 1000) f), 0)`),
});
const unfinished = sql`SELECT ${snapshot.columns} FROM _pins p
  WHERE p.status = 'unsealed' OR EXISTS (SELECT 1 FROM _batches b WHERE b.ledger_version = p.ledger_version) ORDER BY p.ledger_version`;

/** Takes the right to write alone. @throws StoreError `MOVEDEX_STORE_LOCKED` when another has it, or workers are there */
export async function takeWriter(engine: Engine, options: LeaseOptions): Promise<Lease> {
  const values = { name: WRITER, prefix: `${WORKER}%`, now: options.now() };
  const found = await engine.transaction(async (tx) => {
    await tx.all(hold);
    const [worker] = await tx.all<[string]>(liveWorkers, values);
    if (worker !== undefined) return worker[0];
    await tx.run(clearLeases);
    await tx.run(clearWorkers);
    return takeLeaseWithin(tx, WRITER, options);
  });
  if (typeof found === "object") return found;
  throw await heldByAnother(engine, found ?? WRITER);
}

/** Joins those that share the work. @throws StoreError `MOVEDEX_STORE_LOCKED` when one process writes alone */
export async function joinWorkers(engine: Engine, { command, node }: WorkerIdentity, options: LeaseOptions): Promise<Lease> {
  const owner = newOwner();
  const lease = await engine.transaction(async (tx) => {
    await tx.all(hold);
    if ((await tx.first(liveWriter, { name: WRITER, now: options.now() })) !== undefined) return undefined;
    await tx.run(clearOld, { now: options.now(), kept: KEPT_MS });
    await tx.run(add, { owner, command, node, now: options.now() });
    return takeLeaseWithin(tx, `${WORKER}${owner}`, { ...options, owner });
  });
  if (lease === undefined) throw await heldByAnother(engine, WRITER);
  return lease;
}

/** A sign of life: holds all leases of a worker, and tells what it has done. */
export async function sendHeartbeat(engine: Engine, owner: string, counts: WorkerCounts, options: LeaseOptions): Promise<void> {
  await renewAll(engine, owner, options);
  await engine.run(live, { owner, now: options.now(), ...counts });
}

/** Leaves the others, and gives back whatever is still held. */
export function leaveWorkers(engine: Engine, owner: string): Promise<void> {
  return engine.transaction(async (tx) => {
    for (const leaving of leavings) await tx.run(leaving, { owner });
  });
}

/** Says which snapshot a worker reads. */
export async function setWorkerVersion(engine: Engine, owner: string, version: bigint | undefined): Promise<void> {
  await engine.run(setVersion, { owner, version: version ?? null });
}

/** How many other workers that are alive read a snapshot. */
export async function countOthersAt(engine: Engine, owner: string, version: bigint, nowMs: number): Promise<number> {
  return countOf(engine, others, { owner, version, prefix: WORKER, now: nowMs });
}

/** All workers, those that died among them, oldest first. */
export async function listWorkers(engine: Engine, nowMs: number): Promise<WorkerState[]> {
  const rows = await worker.all(engine, list, { prefix: WORKER, now: nowMs });
  return rows.map(({ seenAt, now: at, ...row }) => ({ ...row, forMs: Math.max(0, at - row.since), silentMs: Math.max(0, at - seenAt) }));
}

/** The snapshots that are not finished, oldest version first. */
export async function listUnfinished(engine: Engine): Promise<UnfinishedSnapshot[]> {
  return (await snapshot.all(engine, unfinished)).map(({ recordsPerThousand, ...row }) => ({
    ...row,
    requestsLeft: Math.round(row.left * (1 + recordsPerThousand / 1000)),
  }));
}

export function sumWorkers(
  { ledgerVersion, requestsLeft }: Pick<UnfinishedSnapshot, "ledgerVersion" | "requestsLeft">,
  workers: readonly WorkerState[],
): { readonly count: number; readonly perSecond: number; readonly leftMs: number | undefined } {
  const there = workers.filter((worker) => worker.isAlive && worker.ledgerVersion === ledgerVersion);
  const perSecond = there.reduce((sum, { perMinute }) => sum + perMinute, 0) / 60;
  return { count: there.length, perSecond, leftMs: perSecond === 0 ? undefined : (requestsLeft * 1000) / perSecond };
}
