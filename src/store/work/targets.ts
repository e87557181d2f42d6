import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { and, asc, drizzle, eq, gt, isNotNull, isNull, sql } from "../../schema/dialects/drizzle.ts";
import { sqliteTables } from "../../schema/dialects/sqlite.ts";
import type { Synchronous } from "../connection/asynchronous.ts";
import type { HotStatements } from "../connection/hot-statements.ts";
import { internAddress } from "../snapshots/pins.ts";

/** Why an account is known. */
export type TargetReason = "default" | "given" | "imported" | "dependency" | "friend" | "type";

/** An account to crawl. `via` is the module that led to it (`0x1::coin`), `depth` the steps from a target that was not discovered. */
export type NewTarget = { readonly address: Address; readonly reason: TargetReason; readonly via: string | null; readonly depth: number };

/** A target as it is kept. */
export type Target = NewTarget & { readonly addedAt: number; readonly removedAt: number | null };

/** The list of accounts to crawl. */
export type TargetStore = {
  /** Adds accounts, or takes back those that were removed, in one transaction; those that are active keep their reason. Returns how many are new to the list. */
  readonly addTargets: (targets: Iterable<NewTarget>, now: number) => Promise<number>;
  /** Removes accounts from the list, not from the database; returns how many were on it. */
  readonly removeTargets: (addresses: Iterable<Address>, now: number) => Promise<number>;
  /** Every target, in the order of addresses; removed ones only when wanted. */
  readonly listTargets: (options?: { readonly withRemoved?: boolean }) => Promise<Target[]>;
  readonly hasTargets: () => Promise<boolean>;
  readonly countTargets: () => Promise<number>;
  /** Active targets in the order in which their addresses became known, read in pages: it may be walked while the database is written. */
  readonly activeTargets: () => AsyncIterable<Address>;
};

const { addresses, targets } = sqliteTables;
const PAGE = 1000;

/** Prepares the list of targets on a connection. */
export function prepareTargets(database: Database, statements: HotStatements): Synchronous<TargetStore> {
  const db = drizzle(database);
  const columns = {
    address: addresses.address,
    reason: targets.reason,
    via: targets.via,
    depth: targets.depth,
    addedAt: targets.added_at,
    removedAt: targets.removed_at,
  };
  const rows = () => db.select(columns).from(targets).innerJoin(addresses, eq(addresses.id, targets.address_id)).$dynamic();
  const add = db
    .insert(targets)
    .values({
      address_id: sql.placeholder("address"),
      reason: sql.placeholder("reason"),
      via: sql.placeholder("via"),
      depth: sql.placeholder("depth"),
      added_at: sql.placeholder("now"),
    })
    .onConflictDoUpdate({
      target: targets.address_id,
      set: {
        reason: sql`excluded.reason`,
        via: sql`excluded.via`,
        depth: sql`excluded.depth`,
        added_at: sql`excluded.added_at`,
        removed_at: null,
      },
      setWhere: isNotNull(targets.removed_at),
    })
    .prepare();
  const remove = db
    .update(targets)
    .set({ removed_at: sql`${sql.placeholder("now")}` })
    .where(and(eq(targets.address_id, sql.placeholder("address")), isNull(targets.removed_at)))
    .prepare();
  const page = db
    .select({ id: targets.address_id, address: addresses.address })
    .from(targets)
    .innerJoin(addresses, eq(addresses.id, targets.address_id))
    .where(and(gt(targets.address_id, sql.placeholder("after")), isNull(targets.removed_at)))
    .orderBy(asc(targets.address_id))
    .limit(PAGE)
    .prepare();

  const addTargets = (list: Iterable<NewTarget>, now: number): number => {
    let added = 0;
    for (const { address, ...target } of list)
      added += add.run({ address: Number(internAddress(statements, address)), ...target, now }).changes;
    return added;
  };
  const removeTargets = (list: Iterable<Address>, now: number): number => {
    let removed = 0;
    for (const address of list) {
      const id = statements.addressId.get(address);
      if (id !== undefined) removed += remove.run({ address: Number(id), now }).changes;
    }
    return removed;
  };
  function* activeTargets(): Generator<Address> {
    for (let list = page.all({ after: 0 }); list.length > 0; list = page.all({ after: list.at(-1)?.id })) {
      for (const { address } of list) yield address as Address;
    }
  }

  return {
    addTargets: database.transaction(addTargets).immediate,
    removeTargets: database.transaction(removeTargets).immediate,
    listTargets: ({ withRemoved = false } = {}) =>
      rows()
        .where(withRemoved ? undefined : isNull(targets.removed_at))
        .orderBy(sql`length(${addresses.address})`, asc(addresses.address))
        .all() as Target[],
    hasTargets: () => page.get({ after: 0 }) !== undefined,
    countTargets: () =>
      db
        .select({ n: sql<number>`count(*)`.mapWith(Number) })
        .from(targets)
        .where(isNull(targets.removed_at))
        .get()?.n ?? 0,
    activeTargets,
  };
}
