import type { Cell } from "../../base/cell.ts";
import { countBefore } from "../../base/sorted.ts";
import type { Integer, Transaction } from "../../engine/engine.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { TableData } from "../../schema/table.ts";
import { timeTables } from "../../schema/tables/time.ts";
import { type RecordCells, recordIn, type StoredRecord, sameRecord } from "./records.ts";
import { readSealedVersions } from "./snapshot-queries.ts";

/**
 * The stretch of a sequence of sealed ledger versions over which one value stood. `from` is the first version of the
 * sequence at which it was seen, `to` the last, or null while it stands at the newest version of the sequence.
 */
export type Span<V> = { readonly from: bigint; readonly to: bigint | null; readonly value: V };

/** The members of an ascending sequence that lie inside spans over it. */
export function versionsInside(sequence: readonly bigint[], spans: readonly Pick<Span<unknown>, "from" | "to">[]): bigint[] {
  return spans.flatMap(({ from, to }) =>
    sequence.slice(firstAtLeast(sequence, from), to === null ? undefined : countBefore(sequence, (member) => member <= to)),
  );
}

/** The spans, over an ascending sequence, of what its members have: maximal ones, the last one open when it reaches the end. */
export function spansOver<V>(
  sequence: readonly bigint[],
  members: readonly { readonly version: bigint; readonly value: V }[],
  same: (a: V, b: V) => boolean,
): Span<V>[] {
  const spans: { from: bigint; to: bigint | null; value: V }[] = [];
  let expected = -1;
  for (const { version, value } of members) {
    const at = firstAtLeast(sequence, version);
    const open = spans.at(-1);
    if (open !== undefined && at === expected && same(open.value, value)) open.to = version;
    else spans.push({ from: version, to: version, value });
    expected = at + 1;
  }
  const last = spans.at(-1);
  if (last !== undefined && last.to === sequence.at(-1)) last.to = null;
  return spans;
}

/** What a span has at a version; undefined where there is none. */
export function valueAt<V>(spans: readonly Span<V>[], version: bigint): V | undefined {
  const span = spans[countBefore(spans, ({ to }) => to !== null && to < version)];
  return span === undefined || span.from > version ? undefined : span.value;
}

/** The place of the first member at or above a version; the length when there is none. */
function firstAtLeast(sequence: readonly bigint[], version: bigint): number {
  return countBefore(sequence, (member) => member < version);
}

/** A record that was seen of an account, by its row; undefined for none. */
export type RecordOfAccount = { readonly account: Integer; readonly record: StoredRecord | undefined };

type SpanRow = readonly [account: Integer, from: Integer, to: Integer | null];

const chosen = sql`address_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(":accounts::json", "j")})`;
const span = sql`SELECT address_id, from_version, to_version`;
const coverage = sql<[...SpanRow, readsRecord: 0 | 1]>`${span}, CASE WHEN reads_record THEN 1 ELSE 0 END FROM _coverage WHERE ${chosen}
  ORDER BY address_id, from_version`;
const records = sql<[...SpanRow, ...RecordCells]>`${span}, sequence_number, authentication_key, resource FROM _account_spans
  WHERE ${chosen} ORDER BY address_id, from_version`;
const drop = (table: TableData): Sql => sql`DELETE FROM ${named(table.name)} WHERE ${chosen}`;
const [dropCoverage, dropRecords] = [drop(timeTables.coverage), drop(timeTables.account_spans)];

/**
 * Says that a sealed snapshot, which covers these accounts, read these records of them, whatever it had. The digest over its records is
 * the caller's to make anew.
 */
export async function setRecords(tx: Transaction, version: bigint, seen: readonly RecordOfAccount[]): Promise<void> {
  const accounts = JSON.stringify(seen.map(({ account }) => Number(account)));
  const sealed = await readSealedVersions(tx);
  const held = Map.groupBy(await tx.all(coverage, { accounts }), ([account]) => account);
  const stood = Map.groupBy(await tx.all(records, { accounts }), ([account]) => account);
  const [covered, recorded]: [Cell[][], Cell[][]] = [[], []];
  for (const { account, record } of seen) {
    const before = (held.get(account) ?? []).map((row) => spanOf(row, row[3] === 1));
    const members = versionsInside(sealed, before).map((one) => ({
      version: one,
      value: one === version || valueAt(before, one) === true,
    }));
    const sequence = members.filter(({ value }) => value).map((one) => one.version);
    const spans = (stood.get(account) ?? []).map((row) => spanOf(row, recordIn(row.slice(3) as unknown as RecordCells)));
    const values = sequence.map((one) => ({ version: one, value: one === version ? record : valueAt(spans, one) }));
    const present = values.filter((one): one is { version: bigint; value: StoredRecord } => one.value !== undefined);
    for (const { from, to, value } of spansOver(sealed, members, Object.is)) covered.push([account, from, to, Number(value)]);
    for (const { from, to, value } of spansOver(sequence, present, sameRecord))
      recorded.push([account, from, to, value.sequenceNumber, value.authenticationKey, value.resource]);
  }
  for (const statement of [dropCoverage, dropRecords]) await tx.run(statement, { accounts });
  await tx.bulk(timeTables.coverage, covered);
  await tx.bulk(timeTables.account_spans, recorded);
}

function spanOf<V>([, from, to]: readonly [Integer, Integer, Integer | null, ...unknown[]], value: V): Span<V> {
  return { from: BigInt(from), to: to === null ? null : BigInt(to), value };
}
