import type { Address } from "../../../move/address.ts";
import type { Engine, Integer } from "../../engine/engine.ts";
import { condition, orNull, rowOf, text, whole } from "../../engine/row-shape.ts";
import { hasOneWriter, jsonEach, later, now, skipLocked } from "../../schema/sql/functions.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";

/**
 * An account that this process is to read, whether its record is to be read as well as its modules, how often it was claimed and, in
 * earlier runs, failed, and how many modules it had in the newest snapshot before that has it.
 */
export type Claim = ReturnType<typeof claim.read>;

/** Which accounts are claimed: after a position of the plan, and whether also those that were claimed before and not answered. */
export type ClaimRequest = { readonly after: number; readonly limit: number; readonly again: boolean };

/** `now` is for a file; a server has a clock of its own, the same for all processes. */
type ClaimOptions = { readonly now: () => number; readonly claimMs?: number };

/** How long an account is kept for a process that says nothing of it, in milliseconds. */
export const CLAIM_MS = 60_000;

/** How long a process may wait for its node without an answer: as long as it repeats a request that was rate-limited (`core/node`). */
export const WAIT_MS = 40 * 60_000;

/** After this many claims without an answer the account is a gap: one that kills each process that reads it would kill all of them. */
export const CLAIMS_MAX = 3;

/** How many modules an account had in the newest snapshot before a version that has it; null where none has. */
export const modulesBefore = (account: Sql, version: Sql): Sql =>
  sql`(SELECT coalesce(l.modules, 0) FROM _listing_spans s LEFT JOIN _listings l ON l.id = s.listing_id
    WHERE s.address_id = ${account} AND s.from_version < ${version} ORDER BY s.from_version DESC LIMIT 1)`;
const claim = rowOf({
  account: whole("_visits.address_id"),
  position: whole("_visits.position"),
  address: text<Address>("(SELECT a.address FROM _addresses a WHERE a.id = _visits.address_id)"),
  readsRecord: condition("_visits.reads_record"),
  claims: whole("_visits.claims"),
  failedBefore: whole(
    sql`coalesce((SELECT m.attempts FROM _all_gaps m WHERE m.ledger_version = _visits.ledger_version AND m.address_id = _visits.address_id), 0)`,
  ),
  modulesBefore: orNull(whole(modulesBefore(sql`_visits.address_id`, sql`_visits.ledger_version`))),
});
const claimFree = sql`WITH free AS MATERIALIZED (SELECT v.address_id FROM _visits v
    WHERE v.ledger_version = :version AND v.position > :after AND v.state = 'planned'
      AND (v.claims IS NULL OR (:again AND v.claimed_until <= ${now})) ORDER BY v.position LIMIT :limit ${skipLocked})
  UPDATE _visits SET claims = coalesce(claims, 0) + 1, claimed_until = ${later(now, ":ms")} FROM free
  WHERE _visits.ledger_version = :version AND _visits.address_id = free.address_id RETURNING ${claim.columns}`;
// Rows that a transaction is storing are left out: to wait for them in any order could be to wait for each other.
const change = (
  set: Sql,
): Sql => sql`WITH held AS MATERIALIZED (SELECT v.address_id FROM _visits v WHERE v.ledger_version = :version AND v.state = 'planned'
    AND v.address_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(":accounts::json", "j")}) ${skipLocked})
  UPDATE _visits SET ${set} FROM held WHERE _visits.ledger_version = :version AND _visits.address_id = held.address_id`;
const extend = change(sql`claimed_until = ${later(now, ":ms")}`);
const giveBack = change(sql`claims = NULL, claimed_until = NULL`);
const putLast = change(sql`position = (SELECT max(w.position) + 1 FROM _visits w WHERE w.ledger_version = :version)`);
const forget = sql`UPDATE _visits SET claims = NULL, claimed_until = NULL
  WHERE ledger_version = :version AND claims IS NOT NULL AND ${hasOneWriter}`;
const rest = rowOf({
  accounts: whole("count(*)"),
  /** Those that other processes read. Of a file none: it has one writer, and what a dead process claimed is free. */
  claimed: whole(sql`count(*) FILTER (WHERE v.claimed_until > ${now} AND NOT ${hasOneWriter})`),
  /** These, and those whose claim ran out lately: a process that waits for its node or for the server may still read them. */
  reserved: whole(sql`count(*) FILTER (WHERE ${later("v.claimed_until", ":wait")} > ${now} AND NOT ${hasOneWriter})`),
  /** When the last claim runs out, or ran out, in milliseconds since 1970; null where there is none. */
  claimedUntil: orNull(whole("max(v.claimed_until)")),
});
const countLeft = sql`SELECT ${rest.columns} FROM _visits v WHERE v.ledger_version = :version AND v.state = 'planned'`;

/** The accounts of a snapshot's plan, each read by one process at a time. */
export function claimQueries(engine: Engine, { now, claimMs: ms = CLAIM_MS }: ClaimOptions) {
  const listOf = (accounts: Iterable<Integer>): string => JSON.stringify(Array.from(accounts, Number));
  return {
    /** Takes free accounts, in the order of the plan. One whose process said nothing of it for a minute is free again. */
    claimAccounts: async (version: bigint, request: ClaimRequest): Promise<Claim[]> => {
      const claims = await claim.all(engine, claimFree, { version, ...request, ms, now: now() });
      return claims.sort((a, b) => a.position - b.position);
    },
    /** Keeps claimed accounts for another minute, or for `forMs`. Those that were answered meanwhile are not touched. */
    extendClaims: async (version: bigint, accounts: Iterable<Integer>, forMs = ms): Promise<void> => {
      await engine.run(extend, { version, accounts: listOf(accounts), ms: forMs, now: now() });
    },
    releaseClaims: async (version: bigint, accounts: Iterable<Integer>): Promise<void> => {
      await engine.run(giveBack, { version, accounts: listOf(accounts) });
    },
    /** Puts an account behind all others of the plan. */
    putLast: async (version: bigint, account: Integer): Promise<void> => {
      await engine.run(putLast, { version, accounts: listOf([account]) });
    },
    /** In a file, which has one writer: frees what a process that died had claimed. */
    forgetClaims: async (version: bigint): Promise<void> => {
      await engine.run(forget, { version });
    },
    accountsLeft: (version: bigint) => rest.only(engine, countLeft, { version, now: now(), wait: WAIT_MS }),
  };
}

/** How many accounts of a plan are left, and how many of them other processes read. */
export type AccountsLeft = ReturnType<typeof rest.read>;

export type Claims = ReturnType<typeof claimQueries>;
