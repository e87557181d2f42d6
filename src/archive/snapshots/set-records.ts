import type { Cell } from "../../base/cell.ts";
import type { Integer, Transaction } from "../../engine/engine.ts";
import { jsonEach } from "../../schema/sql/functions.ts";
import { named, type Sql, sql } from "../../schema/sql/sql.ts";
import type { TableData } from "../../schema/table.ts";
import { timeTables } from "../../schema/tables/time.ts";
import { type RecordCells, recordIn, type StoredRecord, sameRecord } from "./records.ts";
import { readSealedVersions } from "./snapshot-queries.ts";
import { type Span, spansOver, valueAt, versionsInside } from "./stretches.ts";

/** A record that was seen of an account, by its row; undefined for none. */
export type RecordOfAccount = { readonly account: Integer; readonly record: StoredRecord | undefined };

type SpanRow = readonly [account: Integer, from: Integer, to: Integer | null];

const chosen = sql`address_id IN (SELECT CAST(j.value AS bigint) FROM ${jsonEach(":accounts::json", "j")})`;
const span = sql`SELECT address_id, from_version, to_version`;
const coverage = sql`${span}, CASE WHEN reads_record THEN 1 ELSE 0 END FROM _coverage WHERE ${chosen} ORDER BY address_id, from_version`;
const records = sql`${span}, sequence_number, authentication_key, resource FROM _account_spans WHERE ${chosen} ORDER BY address_id, from_version`;
const drop = (table: TableData): Sql => sql`DELETE FROM ${named(table.name)} WHERE ${chosen}`;
const [dropCoverage, dropRecords] = [drop(timeTables.coverage), drop(timeTables.account_spans)];

/**
 * Says that a sealed snapshot, which covers these accounts, read these records of them, whatever it had. The digest over its records is
 * the caller's to make anew.
 */
export async function setRecords(tx: Transaction, version: bigint, seen: readonly RecordOfAccount[]): Promise<void> {
  const accounts = JSON.stringify(seen.map(({ account }) => Number(account)));
  const sealed = await readSealedVersions(tx);
  const held = Map.groupBy(await tx.all<[...SpanRow, readsRecord: 0 | 1]>(coverage, { accounts }), ([account]) => account);
  const stood = Map.groupBy(await tx.all<[...SpanRow, ...RecordCells]>(records, { accounts }), ([account]) => account);
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
