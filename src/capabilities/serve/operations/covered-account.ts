import { type RecordCells, recordIn, type StoredRecord } from "../../../core/db/archive/snapshots/covering.ts";
import type { Integer, Session } from "../../../core/db/engine/engine.ts";
import {
  coverage,
  coveredAfter,
  coveredBefore,
  includesVersion,
  moduleSpans,
  recordCoverage,
} from "../../../core/db/schema/sql/predicates.ts";
import { type Sql, sql } from "../../../core/db/schema/sql/sql.ts";

/** The sealed snapshots on both sides of a version that cover an account; undefined where there is none. */
export type Neighbours = { readonly previous: bigint | undefined; readonly next: bigint | undefined };

/** What of an account is asked for: nights may leave the record unread and read the modules alone. */
export type AccountPart = keyof typeof neighbours;

type At = { readonly account: Integer; readonly version: bigint };
const [account, version] = [sql`:account`, sql`:version`];
const neighboursIn = (of: Sql) =>
  sql<[Integer | null, Integer | null], At>`SELECT ${coveredBefore(account, version, of)}, ${coveredAfter(account, version, of)}`;
const neighbours = { modules: neighboursIn(coverage), record: neighboursIn(recordCoverage) };
const record = sql<RecordCells, At>`SELECT s.sequence_number, s.authentication_key, s.resource FROM _account_spans s
  WHERE s.address_id = :account AND ${includesVersion("s", ":version")}`;
const modules = sql<[name: string, bytecode: Integer], At>`SELECT s.name, s.bytecode_id FROM ${moduleSpans} s
  WHERE s.address_id = :account AND ${includesVersion("s", ":version")}`;

/** The nearest sealed snapshots before and after a version that cover an account, or have its record. */
export async function neighboursOf(session: Session, account: Integer, version: bigint, part: AccountPart): Promise<Neighbours> {
  const [previous, next] = (await session.first(neighbours[part], { account, version })) ?? [null, null];
  return { previous: previous === null ? undefined : BigInt(previous), next: next === null ? undefined : BigInt(next) };
}

/** An account's record at a sealed version; undefined when the node said that there is none. */
export async function recordAt(session: Session, account: Integer, version: bigint): Promise<StoredRecord | undefined> {
  const cells = await session.first(record, { account, version });
  return cells && recordIn(cells);
}

/** The names and bytecode rows of an account's modules at a sealed version, in no order that matters. */
export function modulesAt(session: Session, account: Integer, version: bigint): Promise<[name: string, bytecode: Integer][]> {
  return session.all(modules, { account, version });
}
