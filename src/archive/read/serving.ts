import { present } from "../../base/invariant.ts";
import type { Engine, Integer } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { MODULE_SIZE_MAX } from "../../move/module/limits.ts";
import { holds, sealed } from "../../schema/sql/predicates.ts";
import { moduleSpans } from "../../schema/sql/spans.ts";
import { named, sql } from "../../schema/sql/sql.ts";
import type { CoverageTable } from "../../schema/views/covered.ts";
import { readCode } from "../content/read-code.ts";
import { type HeldSnapshots, prepareHeldSnapshots } from "../snapshots/held-snapshots.ts";
import { type RecordCells, recordIn, type StoredRecord } from "../snapshots/records.ts";
import { neighboursCovered } from "../snapshots/spans.ts";
import { type ArchiveHead, prepareHead } from "./archive-head.ts";
import { prepareServedProbes, type ServedProbes } from "./served-probes.ts";
import type { ListedModule, RowId } from "./served-rows.ts";

/** What of an account is asked for: nights may leave the record unread and read the modules alone. */
export type AccountPart = "record" | "modules";

/** How an account stands to a version: whether that is sealed, and whether the snapshot has an answer about this part of the account. */
export type Standing = { readonly account: RowId; readonly isSealed: boolean; readonly isCovered: boolean };

/** An account's nearest sealed snapshots that have an answer about that part of it, around a version and without it. */
export type Neighbours = { readonly previous: bigint | undefined; readonly next: bigint | undefined };

/**
 * A database as `serve` reads it, one question each. What is asked of a version that is not held, or about an account that
 * it does not cover, has no meaning: ask `standing` first.
 */
export type ServedQuestions = HeldSnapshots &
  ServedProbes & {
    /** Undefined while nothing is sealed; `known` itself while no other snapshots are sealed than when that was read. */
    readonly head: (known: ArchiveHead | undefined) => Promise<ArchiveHead | undefined>;
    /** Undefined when no snapshot ever planned the account. */
    readonly standing: (address: Address, version: bigint, part: AccountPart) => Promise<Standing | undefined>;
    readonly neighbours: (account: RowId, version: bigint, part: AccountPart) => Promise<Neighbours>;
    /** Why a snapshot has no answer about an account; undefined when that was never asked for. */
    readonly gapReason: (account: RowId, version: bigint) => Promise<string | undefined>;
    /** An account's record; undefined when the node said that there is none. */
    readonly record: (account: RowId, version: bigint) => Promise<StoredRecord | undefined>;
    /** The bytecode that stood under a name; undefined when there was no such module. */
    readonly bytecode: (account: RowId, version: bigint, name: string) => Promise<RowId | undefined>;
    /** All modules that stood, in no order that matters. */
    readonly listing: (account: RowId, version: bigint) => Promise<readonly ListedModule[]>;
    /** The plain bytes of stored bytecode. @throws OversizedError for more than any chain stores */
    readonly code: (bytecode: RowId) => Promise<Uint8Array>;
  };

type StandingRow = readonly [account: Integer, isSealed: 0 | 1, isCovered: 0 | 1];
type BesideRow = readonly [
  previous: Integer | null,
  next: Integer | null,
  before: Integer | null,
  beforeTo: Integer | null,
  after: Integer | null,
];

const of = <T>(questionIn: (table: CoverageTable) => T): Readonly<Record<AccountPart, T>> => ({
  record: questionIn("_record_coverage"),
  modules: questionIn("_coverage"),
});
// One statement, since each is a transaction of its own on a server.
const standing = of(
  (
    table,
  ) => sql`SELECT a.id, CASE WHEN EXISTS (SELECT 1 FROM _pins p WHERE p.ledger_version = :version AND ${sealed("p")}) THEN 1 ELSE 0 END,
    CASE WHEN EXISTS (SELECT 1 FROM ${named(table)} c WHERE c.address_id = a.id AND ${holds("c", ":version")}) THEN 1 ELSE 0 END
  FROM _addresses a WHERE a.address = :address`,
);
const beside = of(
  (table) => sql`SELECT (SELECT max(p.ledger_version) FROM _pins p WHERE p.ledger_version < :version AND ${sealed("p")}),
    (SELECT min(p.ledger_version) FROM _pins p WHERE p.ledger_version > :version AND ${sealed("p")}), b.from_version, b.to_version,
    (SELECT c.from_version FROM ${named(table)} c WHERE c.address_id = :account AND (c.to_version IS NULL OR c.to_version > :version) ORDER BY c.from_version LIMIT 1)
  FROM (SELECT 1 AS one) o LEFT JOIN (SELECT c.from_version, c.to_version FROM ${named(table)} c WHERE c.address_id = :account AND c.from_version < :version
    ORDER BY c.from_version DESC LIMIT 1) b ON TRUE`,
);
const gap = sql`SELECT m.reason FROM _misses m WHERE m.ledger_version = :version AND m.address_id = :account`;
const record = sql`SELECT s.sequence_number, s.authentication_key, s.resource FROM _account_spans s
  WHERE s.address_id = :account AND ${holds("s", ":version")}`;
const listing = sql`SELECT s.name, s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = :account AND ${holds("s", ":version")}`;
const bytecode = sql`SELECT s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = :account AND s.name = :name AND ${holds("s", ":version")}`;

/** Prepares the questions of `serve`. */
export function prepareServedQuestions(engine: Engine): ServedQuestions {
  return {
    head: prepareHead(engine),
    standing: async (address, version, part) => {
      const row = await engine.first<StandingRow>(standing[part], { address, version });
      return row === undefined ? undefined : { account: row[0], isSealed: row[1] === 1, isCovered: row[2] === 1 };
    },
    neighbours: async (account, version, part) => {
      const [previous, next, before, beforeTo, after] = (await engine.first<BesideRow>(beside[part], { account, version })) as BesideRow;
      return neighboursCovered(
        { version, previous: toVersion(previous), next: toVersion(next) },
        before === null ? undefined : { to: toVersion(beforeTo) ?? null },
        after === null ? undefined : { from: BigInt(after) },
      );
    },
    gapReason: async (account, version) => (await engine.first<[string]>(gap, { account, version }))?.[0],
    record: async (account, version) => {
      const row = await engine.first<RecordCells>(record, { account, version });
      return row === undefined ? undefined : recordIn(row);
    },
    bytecode: async (account, version, name) => (await engine.first<[Integer]>(bytecode, { account, version, name }))?.[0],
    listing: async (account, version) =>
      (await engine.all<[string, Integer]>(listing, { account, version })).map(([name, id]) => ({ name, bytecode: id })),
    ...prepareServedProbes(engine),
    ...prepareHeldSnapshots(engine),
    code: async (id) => present(await readCode(engine, id, MODULE_SIZE_MAX), `there is no bytecode ${id}`),
  };
}

function toVersion(cell: Integer | null): bigint | undefined {
  return cell === null ? undefined : BigInt(cell);
}
