import type { Database } from "better-sqlite3";
import { MODULE_SPANS } from "../../schema/sql/spans.ts";
import { type StoredRecord, sameRecord } from "../snapshots/records.ts";
import type { Span } from "../snapshots/spans.ts";
import { type BytecodeId, prepareListingRows } from "./listing-rows.ts";
import type { AccountRows, AccountView } from "./merging.ts";

/** Reading all rows of one account, and writing them anew where they differ. `address` is the account's row. */
export type AccountRowStore = {
  readonly read: (address: bigint) => AccountRows;
  readonly readCoverage: (address: bigint) => Span<true>[];
  readonly writeCoverage: (address: bigint, before: readonly Span<true>[], after: readonly Span<true>[]) => void;
  /** `bytecodeId` finds or makes the row of a module's bytecode; `older` is what the module was before. */
  readonly writeContent: (address: bigint, before: Omit<AccountRows, "coverage">, after: AccountView, bytecodeId: BytecodeId) => void;
};

type SpanRow = { readonly from_version: bigint; readonly to_version: bigint | null };
type RecordRow = SpanRow & {
  readonly sequence_number: string;
  readonly authentication_key: Uint8Array;
  readonly resource: Uint8Array | null;
};
type ModuleRow = SpanRow & { readonly name: string; readonly sha256: string };

/** Prepares whole accounts on a connection: those of the spans, or staged ones of a part when `table` says where they wait. */
export function prepareAccountRows(database: Database): AccountRowStore {
  const coverage = database.prepare<[bigint], SpanRow>(
    "SELECT from_version, to_version FROM coverage WHERE address_id = ? ORDER BY from_version",
  );
  const records = database.prepare<[bigint], RecordRow>(
    "SELECT from_version, to_version, sequence_number, authentication_key, resource FROM account_spans WHERE address_id = ? ORDER BY from_version",
  );
  const modules = database.prepare<[bigint], ModuleRow>(
    `SELECT s.name, s.from_version, s.to_version, lower(hex(b.sha256)) AS sha256 FROM ${MODULE_SPANS} s JOIN bytecodes b ON b.id = s.bytecode_id ` +
      "WHERE s.address_id = ? ORDER BY s.name, s.from_version",
  );
  const dropCoverage = database.prepare<[bigint]>("DELETE FROM coverage WHERE address_id = ?");
  const dropRecords = database.prepare<[bigint]>("DELETE FROM account_spans WHERE address_id = ?");
  const addCoverage = database.prepare<[bigint, bigint, bigint | null]>(
    "INSERT INTO coverage (address_id, from_version, to_version) VALUES (?, ?, ?)",
  );
  const addRecord = database.prepare<[bigint, bigint, bigint | null, string, Uint8Array, Uint8Array | null]>(
    "INSERT INTO account_spans (address_id, from_version, to_version, sequence_number, authentication_key, resource) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const listingRows = prepareListingRows(database);
  const readCoverage = (address: bigint): Span<true>[] => coverage.all(address).map((row) => spanOf(row, true as const));

  return {
    readCoverage,
    read: (address) => ({
      coverage: readCoverage(address),
      records: recordSpans(records.all(address)),
      modules: moduleSpans(modules.all(address)),
    }),
    writeCoverage: (address, before, after) => {
      if (sameSpans(before, after, Object.is)) return;
      dropCoverage.run(address);
      for (const { from, to } of after) addCoverage.run(address, from, to);
    },
    writeContent: (address, before, after, bytecodeId) => {
      if (!sameSpans(before.records, after.records, sameRecord)) {
        dropRecords.run(address);
        for (const { from, to, value } of after.records)
          addRecord.run(address, from, to, value.sequenceNumber, value.authenticationKey, value.resource);
      }
      listingRows.write(address, after, bytecodeId);
    },
  };
}

/** Record rows in the order of versions as spans. */
export function recordSpans(rows: readonly RecordRow[]): Span<StoredRecord>[] {
  return rows.map((row) =>
    spanOf(row, { sequenceNumber: row.sequence_number, authenticationKey: row.authentication_key, resource: row.resource }),
  );
}

/** Module rows in the order of names, then of versions, as spans by name. */
export function moduleSpans(rows: readonly ModuleRow[]): Map<string, Span<string>[]> {
  const spans = new Map<string, Span<string>[]>();
  for (const row of rows) {
    const list = spans.get(row.name);
    if (list === undefined) spans.set(row.name, [spanOf(row, row.sha256)]);
    else list.push(spanOf(row, row.sha256));
  }
  return spans;
}

function spanOf<V>(row: SpanRow, value: V): Span<V> {
  return { from: row.from_version, to: row.to_version, value };
}

function sameSpans<V>(a: readonly Span<V>[], b: readonly Span<V>[], same: (a: V, b: V) => boolean): boolean {
  return (
    a.length === b.length &&
    a.every((span, i) => {
      const other = b[i] as Span<V>;
      return span.from === other.from && span.to === other.to && same(span.value, other.value);
    })
  );
}
