import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { printable } from "../../base/printable.ts";
import { flag, forKeyShare, forShare, later, now, skipLocked } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import type { Engine, Session } from "../engine.ts";
import { StoreError } from "../errors.ts";

/** Work that one process at a time may do, held by this one until it is released, or lost because it was not renewed in time. */
export type Lease = {
  readonly name: string;
  /** Host, process and a word of its own, so that no two holders are ever alike. */
  readonly owner: string;
  /** How many times the work changed hands. */
  readonly fence: number;
};

/** How a lease is taken and held. Times are by the clock of the database where several machines share one, else by `now`. */
export type LeaseOptions = {
  readonly now: () => number;
  /** How long it lasts unless it is renewed, in milliseconds. Default `LEASE_MS`. */
  readonly ttlMs?: number;
};

export type TakeOptions = LeaseOptions & {
  /** Who takes it, see `newOwner`. Default: one of its own. */
  readonly owner?: string;
};

/** How long others wait for a holder that died, in milliseconds. */
export const LEASE_MS = 30_000;

const take = sql`INSERT INTO _leases (name, owner, fence, since, until) VALUES (:name, :owner, 1, ${now}, ${later(now, ":ttl")})
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = _leases.fence + 1, since = excluded.since, until = excluded.until
  WHERE _leases.until <= ${now} RETURNING fence`;
/** The row of a lease that is still held. */
const ownRow = sql`_leases WHERE name = :name AND owner = :owner AND fence = :fence`;
const extend = sql`UPDATE _leases SET until = ${later(now, ":ttl")} WHERE name = :name AND owner = :owner AND fence = :fence`;
const release = sql`DELETE FROM ${ownRow}`;
const isThere = sql`SELECT ${flag(sql`l.until > ${now}`)}, ${flag(sql`${later("l.until", ":ttl")} > ${now}`)} FROM _leases l WHERE l.name = :name`;
const isFree = sql`SELECT name FROM _leases WHERE name = :name ${skipLocked}`;
const namesOf = sql`SELECT name FROM _leases WHERE owner = :owner ORDER BY name`;
const extendNamed = sql`UPDATE _leases SET until = ${later(now, ":ttl")} WHERE name = :name AND owner = :owner`;
const holder = sql`SELECT owner, since, until FROM _leases WHERE name = :name`;

function timesOf({ now, ttlMs = LEASE_MS }: LeaseOptions) {
  return { now: now(), ttl: ttlMs };
}

/** Takes a lease that is free, or whose holder has not renewed it in time. @returns undefined when another holds it */
export async function takeLease(engine: Engine, name: string, options: TakeOptions): Promise<Lease | undefined> {
  return engine.transaction((tx) => takeLeaseWithin(tx, name, options));
}

/** The same as a part of a transaction. */
export async function takeLeaseWithin(tx: Session, name: string, options: TakeOptions): Promise<Lease | undefined> {
  const { owner = newOwner() } = options;
  const [taken] = await tx.all<[number]>(take, { name, owner, ...timesOf(options) });
  return taken === undefined ? undefined : { name, owner, fence: taken[0] };
}

/**
 * Takes the lease of a turn. One that has run out is left alone while its holder has a transaction open (`assertTurn`), but for
 * no longer than it lasts. An engine without row locks has `assertHeld` at the end instead.
 */
export function takeTurn(engine: Engine, name: string, options: TakeOptions): Promise<Lease | undefined> {
  return engine.transaction(async (tx) => {
    const [isHeld, isFresh] = (await tx.first<[0 | 1, 0 | 1]>(isThere, { name, ...timesOf(options) })) ?? [0, 0];
    if (isHeld === 1 || (isFresh === 1 && (await tx.first(isFree, { name })) === undefined)) return undefined;
    return takeLeaseWithin(tx, name, options);
  });
}

/** A name for a holder that no other has. */
export function newOwner(): string {
  return `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
}

/** The machine of a holder. */
export function hostOf(owner: string): string {
  return owner.split(":")[0] as string;
}

/** Holds a lease for another while. @returns whether it was still held */
export async function renewLease(session: Session, { name, owner, fence }: Lease, options: LeaseOptions): Promise<boolean> {
  return (await session.run(extend, { name, owner, fence, ...timesOf(options) })) === 1;
}

/**
 * Holds all leases of one owner for another while, each in a transaction of its own: a transaction of the work looks at several, in
 * its own order, and the two would wait for each other. One that was taken over stays the other's.
 */
export async function renewAll(engine: Engine, owner: string, options: LeaseOptions): Promise<void> {
  for (const [name] of await engine.all<[string]>(namesOf, { owner })) await engine.run(extendNamed, { name, owner, ...timesOf(options) });
}

type Assert = (transaction: Session, lease: Lease) => Promise<void>;

// No write: transactions of one holder do not wait for each other here, and a row that is written by each of them gets slow to read.
function assertOwn(lock: Sql): Assert {
  const own = sql`SELECT fence FROM ${ownRow} ${lock}`;
  return async (transaction, lease) => {
    const { name, owner, fence } = lease;
    if ((await transaction.first(own, { name, owner, fence })) === undefined) throw fenced(lease);
  };
}

/**
 * Makes sure in a writing transaction that the lease is held until it ends; a late one is rolled back. The lease lasts no longer
 * for it. @throws StoreError `MOVEDEX_STORE_FENCED` when another has taken it over
 */
export const assertHeld: Assert = assertOwn(forShare);

/**
 * The same as the first thing of a turn's transaction: until it ends nobody takes the turn over (`takeTurn`). Renewing goes on
 * meanwhile. @throws StoreError `MOVEDEX_STORE_FENCED` when another has taken it over
 */
export const assertTurn: Assert = assertOwn(forKeyShare);

/** Gives a lease back, if it is still held: the next one need not wait. */
export async function releaseLease(engine: Engine, { name, owner, fence }: Lease): Promise<void> {
  await engine.run(release, { name, owner, fence });
}

/** Who holds a lease, since when and until when (milliseconds); undefined when it is free. An expired one is still shown. */
export async function leaseHolder(engine: Engine, name: string): Promise<{ owner: string; since: number; until: number } | undefined> {
  const row = await engine.first<[string, number, number]>(holder, { name });
  return row && { owner: row[0], since: row[1], until: row[2] };
}

/** The error of one who finds a lease taken: says by whom and since when. */
export async function heldByAnother(engine: Engine, name: string): Promise<StoreError> {
  const holder = await leaseHolder(engine, name);
  const who = holder === undefined ? "" : ` (${printable(holder.owner, 200)}, since ${new Date(holder.since).toISOString()})`;
  const text = `another run of movedex holds \`${name}\`${who}. Wait for it to end; only one may do that at a time.`;
  return new StoreError("MOVEDEX_STORE_LOCKED", text, { facts: { lease: name } });
}

/** The error of a holder who comes too late. */
export function fenced({ name, owner, fence }: Lease): StoreError {
  const text = `another run took over \`${name}\`, since the lease of this one ran out. Nothing was written after that; let the other run finish.`;
  return new StoreError("MOVEDEX_STORE_FENCED", text, { facts: { lease: name, owner, fence } });
}

/** Takes a lease and renews it until what this returns releases it. @throws StoreError `MOVEDEX_STORE_LOCKED` when another holds it */
export async function holdLease(engine: Engine, name: string, now: () => number): Promise<() => Promise<void>> {
  const lease = await takeLease(engine, name, { now });
  if (lease === undefined) throw await heldByAnother(engine, name);
  return keepLease(engine, lease, now);
}

/** Renews a lease three times in its span, until it is released by what this returns, or the process ends. */
export function keepLease(engine: Engine, lease: Lease, now: () => number): () => Promise<void> {
  // A renewal may fail: a server that is away for the moment gives the lease to no other process either, and each write checks it.
  const renewing = setInterval(() => void renewLease(engine, lease, { now }).catch(() => {}), LEASE_MS / 3).unref();
  return async () => {
    clearInterval(renewing);
    // Where that fails the lease ends by itself.
    await releaseLease(engine, lease).catch(() => {});
  };
}
