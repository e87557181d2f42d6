import type { Address } from "../../../move/address.ts";
import type { Engine, Integer, Transaction, Values } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { engineWithin } from "../../engine/scope.ts";
import { forShare, forUpdate, greatest, jsonEach, waitForLocks, waitForTurn } from "../../schema/sql/functions.ts";
import { coverage, failedVisits, includesVersion, internAddresses, newestOf, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { type RecordCells, recordIn, type SeenRecord } from "./covering.ts";
import { NO_MODULES } from "./snapshot-digest.ts";

/** The accounts of a plan, in any order; repeated ones count once. `"targets"` stands for every active target of the list. */
export type PlanScope = readonly Address[] | "targets";

/** Of which accounts the record is read too: all, none, or those whose record no sealed snapshot from a version on has. */
export type PlanRecords = "all" | "none" | { readonly unreadSince: bigint };

const wanted = { name: "wanted", columns: { address: { kind: "text" } } } as const;

const internWanted = internAddresses(sql`wanted`);
const wantedIds = sql`SELECT DISTINCT a.id AS address_id FROM wanted w JOIN _addresses a ON a.address = w.address`;
const targetIds = sql`SELECT t.address_id FROM _targets t WHERE t.removed_at IS NULL`;

/** Gathers a scope's accounts, each once, in the transaction's table `plan (address_id)`; those that are new get their rows. */
export async function keepPlan(tx: Transaction, scope: PlanScope): Promise<void> {
  if (scope === "targets") return tx.stageSelect("plan", targetIds);
  await tx.stage(wanted, { cells: scope });
  await tx.run(internWanted);
  await tx.stageSelect("plan", wantedIds);
}

// Accounts that were read longest ago come first, so that the next night goes on where one was cut off. A failed try counts as a reading
// here: accounts that never answer then do not keep others waiting.
const planInTurn = sql`WITH asked AS MATERIALIZED (
    SELECT t.address_id, coalesce(${newestOf(coverage, sql`c.from_version < :version`)}, -1) AS read_at, coalesce(f.newest, -1) AS failed_at
    FROM plan t LEFT JOIN ${failedVisits} f ON f.address_id = t.address_id)
  INSERT INTO _visits (ledger_version, position, address_id, state, reads_record) SELECT :version::version,
    (SELECT coalesce(max(w.position), -1) FROM _visits w WHERE w.ledger_version = :version)
      + row_number() OVER (ORDER BY ${greatest("s.read_at", "s.failed_at")}, length(a.address), a.address),
    a.id, 'planned', ${isRecordPlanned(sql`a.id`)} FROM asked s JOIN _addresses a ON a.id = s.address_id`;

/** Puts the accounts of the table `plan` behind those that the snapshot's plan has. @returns how many */
export function addToPlan(tx: Transaction, version: bigint, records: PlanRecords): Promise<number> {
  return tx.run(planInTurn, { version, ...recordValues(records) });
}

/** Whether an account's record is to be read at `:version`, with the values of `recordValues`. */
export function isRecordPlanned(account: Sql): Sql {
  return sql`CASE WHEN :records = 'all' THEN TRUE WHEN :records = 'none' THEN FALSE ELSE NOT EXISTS (SELECT 1 FROM _all_snapshots q
    JOIN _coverage c ON c.address_id = ${account} AND c.reads_record AND ${includesVersion("c", "q.ledger_version")}
    WHERE ${sealed("q")} AND q.ledger_version BETWEEN :unreadSince::version AND :version) END`;
}

export function recordValues(records: PlanRecords): Values {
  return typeof records === "string" ? { records, unreadSince: null } : { records: "some", unreadSince: records.unreadSince };
}

const planTurn = waitForTurn("plan");

/** Decides on a plan and stores it in one transaction, one process at a time: of several that start together, one begins a night. */
export function planAlone<T>(engine: Engine, work: (inside: Engine) => Promise<T>): Promise<T> {
  return engine.transaction(async (tx) => {
    await tx.all(planTurn);
    return work(engineWithin(tx));
  });
}

const ofSnapshot = sql`SELECT p.status FROM _all_snapshots p WHERE p.ledger_version = :version`;
const lockedSnapshots = { forMany: sql<[string]>`${ofSnapshot} ${forShare}`, alone: sql<[string]>`${ofSnapshot} ${forUpdate}` };

/**
 * Locks a snapshot until the transaction ends: shared by those that store answers (`forMany`), or alone, to change its plan or seal it.
 * After waiting, a transaction sees what the others did. @returns its status; undefined where there is none
 */
export async function lockSnapshot(tx: Transaction, version: bigint, how: keyof typeof lockedSnapshots): Promise<string | undefined> {
  await tx.all(waitForLocks);
  return (await tx.first(lockedSnapshots[how], { version }))?.[0];
}

/** An account of a plan, as its visit or its failure is about to be stored. */
export type PlannedAccount = {
  readonly id: Integer;
  readonly position: number;
  /** What the sealed snapshot before showed of it; undefined when that does not cover it. */
  readonly previous: { readonly digest: Uint8Array; readonly record: SeenRecord } | undefined;
};

type PlanRow = readonly [id: Integer | null, position: number | null];
type PreviousRow = readonly [place: number, digest: Uint8Array | null, isRead: 0 | 1, ...record: RecordCells];

const open = sql<[string | null, Integer | null]>`SELECT (SELECT p.status FROM _all_snapshots p WHERE p.ledger_version = :version),
  (SELECT max(q.ledger_version) FROM _all_snapshots q WHERE q.ledger_version < :version AND ${sealed("q")})`;
// Two questions instead of one: PostgreSQL plans each anew, and of eight tables that takes longer than to answer it.
const planRows = sql<PlanRow>`SELECT a.id, v.position FROM ${jsonEach(":addresses::json", "j")}
  LEFT JOIN _addresses a ON a.address = j.value LEFT JOIN _visits v ON v.ledger_version = :version AND v.address_id = a.id ORDER BY j.key`;
const previousRows = sql<PreviousRow>`SELECT j.key, l.digest, CASE WHEN c.reads_record THEN 1 ELSE 0 END, r.sequence_number, r.authentication_key, r.resource
  FROM ${jsonEach(":accounts::json", "j")} JOIN _coverage c ON c.address_id = CAST(j.value AS bigint) AND ${includesVersion("c", ":previous::version")}
  JOIN _listing_spans s ON s.address_id = c.address_id AND ${includesVersion("s", ":previous::version")}
  LEFT JOIN _listings l ON l.id = s.listing_id
  LEFT JOIN _account_spans r ON c.reads_record AND r.address_id = c.address_id AND ${includesVersion("r", ":previous::version")}`;

/**
 * Accounts of a plan with all that storing their answers asks, in the order given; `previous` is the sealed version before. Three
 * questions in all. @throws StoreError `MOVEDEX_STORE_VISIT` when one is not in the plan, `MOVEDEX_STORE_PIN` without a plan
 */
export async function findPlanned(
  tx: Transaction,
  version: bigint,
  addresses: readonly Address[],
): Promise<{ readonly previous: bigint | undefined; readonly accounts: readonly PlannedAccount[] }> {
  const [status, previous] = (await tx.first(open, { version })) ?? [null, null];
  const rows = await tx.all(planRows, { version, addresses: JSON.stringify(addresses) });
  const known = rows.map(([id, position], i) => {
    if (id === null || position === null) throw notPlanned(version, addresses[i] as Address, status);
    return { id, position };
  });
  const ids = JSON.stringify(known.map(({ id }) => Number(id)));
  const found = previous === null ? [] : await tx.all(previousRows, { previous, accounts: ids });
  const records = new Map(
    found.map(([place, digest, isRead, ...record]) => [
      place,
      { digest: digest ?? NO_MODULES, record: isRead === 1 ? recordIn(record) : ("unread" as const) },
    ]),
  );
  const accounts = known.map((account, i): PlannedAccount => ({ ...account, previous: records.get(i) }));
  return { previous: previous === null ? undefined : BigInt(previous), accounts };
}

function notPlanned(version: bigint, address: Address, status: string | null): StoreError {
  const [code, text] =
    status === "unsealed"
      ? (["MOVEDEX_STORE_VISIT", `account ${address} is not in the plan of ledger version ${version}`] as const)
      : (["MOVEDEX_STORE_PIN", `cannot write to the snapshot of ledger version ${version}: it is ${status ?? "missing"}`] as const);
  return new StoreError(code, text, { facts: { version, address } });
}
