import { present } from "../../base/invariant.ts";
import type { Engine, Transaction } from "../../engine/engine.ts";
import { assertHeld, fenced, type Lease, releaseLease, type TakeOptions, takeLeaseWithin } from "../../engine/leases/leases.ts";
import { condition, countOf, orNull, shapeOf, text, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { later, now, skipLocked } from "../../schema/sql/functions.ts";
import { sql } from "../../schema/sql/sql.ts";

/** A run of a snapshot's plan that is read as one. */
export type Batch = {
  readonly ledgerVersion: bigint;
  readonly first: number;
  readonly last: number;
  /** How often its accounts are tried with this one, from 1. */
  readonly round: number;
  /** By which others are kept from it; undefined where no other process can be at work. */
  readonly lease: Lease | undefined;
};

/** An account to visit, and whether its record is to be read as well as its modules. */
export type PlannedRead = { readonly address: Address; readonly readsRecord: boolean };

export type BatchesLeft = {
  readonly batches: number;
  readonly accounts: number;
  /** Milliseconds until the next is to be taken; 0 when one may be had, or others have all of them. */
  readonly dueInMs: number;
};

/** Most accounts of a batch: many within steady memory for a process alone, few for those that share, so that all end together. */
const MOST_ACCOUNTS = 500;
const FEWEST_ACCOUNTS = 10;
/** Batches to make of a plan that is shared, where its accounts allow. */
const SHARED_BATCHES = 100;

const countPlanned = sql`SELECT count(*) FROM _visits WHERE ledger_version = :version AND state = 'planned'`;
const isOpen = sql`SELECT EXISTS (SELECT 1 FROM _batches WHERE ledger_version = :version)`;
// One row for all who come at once: the second one waits here, and then finds the batches.
const holdPin = sql`UPDATE _pins SET planned = planned WHERE ledger_version = :version`;
const clear = sql`DELETE FROM _batches WHERE ledger_version = :version`;
const divide = sql`INSERT INTO _batches (ledger_version, first_position, last_position, accounts, round)
  SELECT :version::version, min(d.position), max(d.position), count(*), 1 FROM (
    SELECT v.position, (row_number() OVER (ORDER BY v.position) - 1) / :size AS batch FROM _visits v
    WHERE v.ledger_version = :version AND v.state = 'planned') AS d GROUP BY d.batch`;
const nameOf = sql`'batch:' || CAST(b.ledger_version AS text) || ':' || CAST(b.first_position AS text)`;
const isHeld = sql`EXISTS (SELECT 1 FROM _leases l WHERE l.name = ${nameOf} AND l.until > ${now})`;
const chosen = shapeOf({ first: whole("b.first_position"), last: whole("b.last_position") });
const choose = sql`SELECT ${chosen.columns} FROM _batches b
  WHERE b.ledger_version = :version AND b.first_position > :after AND b.round = :round AND (b.due_at IS NULL OR b.due_at <= ${now})
    AND (:alone OR NOT ${isHeld}) ORDER BY b.first_position LIMIT 1 ${skipLocked}`;
const rounds = sql`SELECT DISTINCT round FROM _batches WHERE ledger_version = :version ORDER BY round`;
const account = shapeOf({ address: text<Address>("a.address"), readsRecord: condition("v.reads_record") });
const accounts = sql`SELECT ${account.columns} FROM _visits v JOIN _addresses a ON a.id = v.address_id
  WHERE v.ledger_version = :version AND v.position BETWEEN :first AND :last AND v.state = 'planned' ORDER BY v.position`;
const complete = sql`DELETE FROM _batches WHERE ledger_version = :version AND first_position = :first`;
const postpone = sql`UPDATE _batches SET round = round + 1, due_at = ${later(now, ":pause")},
  accounts = (SELECT count(*) FROM _visits v WHERE v.ledger_version = :version AND v.position BETWEEN :first AND :last AND v.state = 'planned')
  WHERE ledger_version = :version AND first_position = :first`;
const rest = shapeOf({
  batches: whole("count(*)"),
  accounts: whole("coalesce(CAST(sum(b.accounts) AS bigint), 0)"),
  due: whole(sql`count(*) FILTER (WHERE b.due_at IS NULL OR b.due_at <= ${now})`),
  firstDue: orNull(whole("min(b.due_at)")),
  now: whole(now),
});
const left = sql`SELECT ${rest.columns} FROM _batches b WHERE b.ledger_version = :version`;

/** A snapshot's plan in batches, each read by one process at a time. `owner` is undefined where this process is alone. */
export function batchQueries(engine: Engine, { owner, ...lease }: TakeOptions) {
  const isAlone = owner === undefined;
  /** What this process has in hand: where it is alone, nothing else says so. */
  const inHand = new Set<number>();

  const take = async (tx: Transaction, version: bigint, round: number, after: number): Promise<Batch | undefined> => {
    const values = { version, round, after, alone: isAlone, now: lease.now() };
    const row = await chosen.first(tx, choose, values);
    if (row === undefined) return undefined;
    const { first } = row;
    const batch = { ledgerVersion: version, ...row, round };
    if (isAlone) return inHand.has(first) ? take(tx, version, round, first) : { ...batch, lease: undefined };
    const taken = await takeLeaseWithin(tx, `batch:${version}:${first}`, { ...lease, owner });
    // Another took it between the two statements: the next one may be had.
    return taken === undefined ? take(tx, version, round, first) : { ...batch, lease: taken };
  };

  /** Changes a batch's row and gives up its lease, if it is still this process's. */
  const end = async (batch: Batch, change: (tx: Transaction) => Promise<number>): Promise<void> => {
    await engine.transaction(async (tx) => {
      if (batch.lease !== undefined) await assertHeld(tx, batch.lease);
      if ((await change(tx)) === 0 && batch.lease !== undefined) throw fenced(batch.lease);
    });
    await release(batch);
  };
  const release = async ({ first, lease: held }: Batch): Promise<void> => {
    inHand.delete(first);
    if (held !== undefined) await releaseLease(engine, held);
  };
  const keyOf = ({ ledgerVersion: version, first }: Batch) => ({ version, first });

  return {
    /** Divides what is left to visit, unless that was done. What a process that was alone left behind is divided anew. */
    openBatches: (version: bigint): Promise<void> =>
      engine.transaction(async (tx) => {
        await tx.run(holdPin, { version });
        if (isAlone) {
          inHand.clear();
          await tx.run(clear, { version });
        } else if ((await tx.first<[number]>(isOpen, { version }))?.[0]) return;
        const planned = await countOf(tx, countPlanned, { version });
        const share = Math.max(FEWEST_ACCOUNTS, Math.ceil(planned / SHARED_BATCHES));
        await tx.run(divide, { version, size: isAlone ? MOST_ACCOUNTS : Math.min(MOST_ACCOUNTS, share) });
      }),
    /** Takes the next batch that nobody has and that is due: all first tries before the second ones, in the order of the plan. */
    takeBatch: async (version: bigint): Promise<Batch | undefined> => {
      for (const [round] of await engine.all<[number]>(rounds, { version })) {
        const batch = await engine.transaction((tx) => take(tx, version, round, -1));
        if (batch === undefined) continue;
        inHand.add(batch.first);
        return batch;
      }
      return undefined;
    },
    /** A batch's accounts that are left to visit, in the order of the plan. */
    accountsOf: ({ ledgerVersion: version, first, last }: Batch): Promise<readonly PlannedRead[]> =>
      account.all(engine, accounts, { version, first, last }),
    /** Ends a batch whose accounts are all answered for. @throws StoreError `MOVEDEX_STORE_FENCED` */
    completeBatch: (batch: Batch): Promise<void> => end(batch, (tx) => tx.run(complete, keyOf(batch))),
    /** Puts a batch off for another try, by whoever takes it then. @throws StoreError `MOVEDEX_STORE_FENCED` */
    postponeBatch: (batch: Batch, pauseMs: number): Promise<void> =>
      end(batch, (tx) => tx.run(postpone, { ...keyOf(batch), last: batch.last, pause: pauseMs, now: lease.now() })),
    /** Gives a batch back as it is: others may take it at once. */
    releaseBatch: release,
    batchesLeft: async (version: bigint): Promise<BatchesLeft> => {
      const row = present(await rest.first(engine, left, { version, now: lease.now() }), "counting always gives a row");
      const isDue = row.due > 0 || row.firstDue === null;
      return { batches: row.batches, accounts: row.accounts, dueInMs: isDue ? 0 : Math.max(0, (row.firstDue ?? 0) - row.now) };
    },
  };
}
