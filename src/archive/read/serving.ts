import { present } from "../../base/invariant.ts";
import type { Engine, Integer } from "../../engine/engine.ts";
import { condition, orNull, orUndefined, shapeOf, version, whole } from "../../engine/shape.ts";
import type { Address } from "../../move/address.ts";
import { MODULE_SIZE_MAX } from "../../move/module/limits.ts";
import { flag } from "../../schema/sql/functions.ts";
import { holds, moduleSpans, sealed } from "../../schema/sql/predicates.ts";
import { type Sql, sql } from "../../schema/sql/sql.ts";
import { readCode } from "../content/read-code.ts";
import { prepareHeldSnapshots } from "../snapshots/held-snapshots.ts";
import { type RecordCells, recordIn, type StoredRecord } from "../snapshots/records.ts";
import { neighboursCovered } from "../snapshots/spans.ts";
import { prepareHead } from "./archive-head.ts";
import { prepareServedProbes } from "./served-probes.ts";
import type { ListedModule, RowId } from "./served-rows.ts";

/** What of an account is asked for: nights may leave the record unread and read the modules alone. */
export type AccountPart = "record" | "modules";

/** How an account stands to a version: whether that is sealed, and whether the snapshot has an answer about this part of the account. */
export type Standing = { readonly account: RowId; readonly isSealed: boolean; readonly isCovered: boolean };

/** An account's nearest sealed snapshots that have an answer about that part of it, around a version and without it. */
export type Neighbours = { readonly previous: bigint | undefined; readonly next: bigint | undefined };

/** What depends on the part of an account, by the table of that part's coverage. */
const forEachPart = <T>(make: (coverage: Sql) => T): Readonly<Record<AccountPart, T>> => ({
  record: make(sql`_record_coverage`),
  modules: make(sql`_coverage`),
});
// Each is one statement, since each is a transaction of its own on a server.
const standing = forEachPart((coverage) => {
  const isSealed = sql`EXISTS (SELECT 1 FROM _pins p WHERE p.ledger_version = :version AND ${sealed("p")})`;
  const isCovered = sql`EXISTS (SELECT 1 FROM ${coverage} c WHERE c.address_id = a.id AND ${holds("c", ":version")})`;
  const row = shapeOf({ account: whole("a.id"), isSealed: condition(flag(isSealed)), isCovered: condition(flag(isCovered)) });
  return { row, select: sql`SELECT ${row.columns} FROM _addresses a WHERE a.address = :address` };
});
const neighbours = forEachPart((coverage) => {
  const row = shapeOf({
    previous: orUndefined(version(sql`(SELECT max(p.ledger_version) FROM _pins p WHERE p.ledger_version < :version AND ${sealed("p")})`)),
    next: orUndefined(version(sql`(SELECT min(p.ledger_version) FROM _pins p WHERE p.ledger_version > :version AND ${sealed("p")})`)),
    before: orNull(version("b.from_version")),
    to: orNull(version("b.to_version")),
    from: orNull(
      version(sql`(SELECT c.from_version FROM ${coverage} c WHERE c.address_id = :account AND (c.to_version IS NULL OR c.to_version > :version)
    ORDER BY c.from_version LIMIT 1)`),
    ),
  });
  const select = sql`SELECT ${row.columns} FROM (SELECT 1 AS one) o LEFT JOIN (SELECT c.from_version, c.to_version FROM ${coverage} c
    WHERE c.address_id = :account AND c.from_version < :version ORDER BY c.from_version DESC LIMIT 1) b ON TRUE`;
  return { row, select };
});
const gap = sql`SELECT m.reason FROM _misses m WHERE m.ledger_version = :version AND m.address_id = :account`;
const record = sql`SELECT s.sequence_number, s.authentication_key, s.resource FROM _account_spans s
  WHERE s.address_id = :account AND ${holds("s", ":version")}`;
const listing = sql`SELECT s.name, s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = :account AND ${holds("s", ":version")}`;
const bytecode = sql`SELECT s.bytecode_id FROM ${moduleSpans} s WHERE s.address_id = :account AND s.name = :name AND ${holds("s", ":version")}`;

/**
 * A database as `serve` reads it, one question each. What is asked of a version that is not held, or about an account that
 * it does not cover, has no meaning: ask `standing` first.
 */
export function prepareServedQuestions(engine: Engine) {
  return {
    /** Undefined while nothing is sealed; `known` itself while no other snapshots are sealed than when that was read. */
    head: prepareHead(engine),
    /** Undefined when no snapshot ever planned the account. */
    standing: (address: Address, version: bigint, part: AccountPart): Promise<Standing | undefined> =>
      standing[part].row.first(engine, standing[part].select, { address, version }),
    neighbours: async (account: RowId, version: bigint, part: AccountPart): Promise<Neighbours> => {
      const { row, select } = neighbours[part];
      const { previous, next, before, to, from } = present(await row.first(engine, select, { account, version }), "there is always a row");
      return neighboursCovered({ version, previous, next }, before === null ? undefined : { to }, from === null ? undefined : { from });
    },
    /** Why a snapshot has no answer about an account; undefined when that was never asked for. */
    gapReason: async (account: RowId, version: bigint): Promise<string | undefined> =>
      (await engine.first<[string]>(gap, { account, version }))?.[0],
    /** An account's record; undefined when the node said that there is none. */
    record: async (account: RowId, version: bigint): Promise<StoredRecord | undefined> => {
      const row = await engine.first<RecordCells>(record, { account, version });
      return row === undefined ? undefined : recordIn(row);
    },
    /** The bytecode that stood under a name; undefined when there was no such module. */
    bytecode: async (account: RowId, version: bigint, name: string): Promise<RowId | undefined> =>
      (await engine.first<[Integer]>(bytecode, { account, version, name }))?.[0],
    /** All modules that stood, in no order that matters. */
    listing: async (account: RowId, version: bigint): Promise<readonly ListedModule[]> =>
      (await engine.all<[string, Integer]>(listing, { account, version })).map(([name, id]) => ({ name, bytecode: id })),
    ...prepareServedProbes(engine),
    ...prepareHeldSnapshots(engine),
    /** The plain bytes of stored bytecode. @throws OversizedError for more than any chain stores */
    code: async (id: RowId): Promise<Uint8Array> => present(await readCode(engine, id, MODULE_SIZE_MAX), `there is no bytecode ${id}`),
  };
}

export type ServedQuestions = ReturnType<typeof prepareServedQuestions>;
