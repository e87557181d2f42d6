import type { Database } from "better-sqlite3";
import type { Address } from "../../move/address.ts";
import { StoreError } from "../errors.ts";
import type { SqlValue } from "../read/query-door.ts";
import type { Span } from "../snapshots/spans.ts";
import { moduleSpans, recordSpans } from "./account-rows.ts";
import { type AccountView, checkedView, joinParts } from "./merging.ts";
import { stagedTable } from "./staging.ts";

/** One snapshot of a staged archive: its row, as the latest part that holds it has it. */
export type StagedSnapshot = { readonly version: bigint; readonly part: number; readonly row: Readonly<Record<string, SqlValue>> };

/** A staged archive as the merge reads it. */
export type StagedArchive = {
  /** Oldest version first. */
  readonly snapshots: readonly StagedSnapshot[];
  /** What the archive saw of an account; undefined when nothing. @throws StoreError `MOVEDEX_STORE_ARCHIVE` when that is inconsistent */
  readonly account: (address: Address) => AccountView | undefined;
  readonly bytecode: (sha256: string) => { readonly code: Uint8Array; readonly nodeAbi: string | null } | undefined;
};

/** The most snapshots that are taken: three centuries of nights, and a bound on what a hostile archive can ask of memory. */
const SNAPSHOTS_MAX = 100_000;

type SpanRow = { readonly part: bigint; readonly from_version: bigint; readonly to_version: bigint };
type RecordRow = SpanRow & {
  readonly sequence_number: string;
  readonly authentication_key: Uint8Array;
  readonly resource: Uint8Array | null;
};
type ModuleRow = SpanRow & { readonly name: string; readonly sha256: string };

/** Prepares the reading of a staged archive. */
export function prepareStagedArchive(database: Database): StagedArchive {
  const rows = database
    .prepare<[], Record<string, SqlValue>>(`SELECT * FROM ${stagedTable("archive_snapshots")} ORDER BY ledger_version, part`)
    .all();
  if (rows.length > SNAPSHOTS_MAX) {
    throw new StoreError(
      "MOVEDEX_STORE_ARCHIVE",
      `the archive has ${rows.length} snapshots, and no more than ${SNAPSHOTS_MAX} can be imported at once`,
      {
        facts: { snapshots: rows.length },
      },
    );
  }
  const latest = new Map<bigint, StagedSnapshot>();
  const sequences = new Map<bigint, bigint[]>();
  for (const { part, ...row } of rows) {
    const version = row["ledger_version"] as bigint;
    latest.set(version, { version, part: Number(part), row });
    const sequence = sequences.get(part as bigint);
    if (sequence === undefined) sequences.set(part as bigint, [version]);
    else sequence.push(version);
  }
  const of = <R>(table: Parameters<typeof stagedTable>[0], order: string) => {
    const statement = database.prepare<[bigint, string], R>(
      `SELECT * FROM ${stagedTable(table)} WHERE part = ? AND address = ? ORDER BY ${order}`,
    );
    return (address: string, part: bigint): R[] => statement.all(part, address);
  };
  const coverage = of<SpanRow>("archive_coverage", "from_version");
  const records = of<RecordRow>("archive_accounts", "from_version");
  const modules = of<ModuleRow>("archive_modules", "name, from_version");
  const bytecode = database.prepare<[string], { code: Uint8Array; nodeAbi: string | null }>(
    `SELECT code, node_abi AS nodeAbi FROM ${stagedTable("archive_bytecodes")} WHERE sha256 = ? ORDER BY part DESC LIMIT 1`,
  );

  return {
    snapshots: [...latest.values()],
    bytecode: (sha256) => bytecode.get(sha256),
    account: (address) => {
      const views: AccountView[] = [];
      for (const [part, sequence] of sequences) {
        const covered: Span<true>[] = coverage(address, part).map((row) => ({ from: row.from_version, to: row.to_version, value: true }));
        const spans = { coverage: covered, records: recordSpans(records(address, part)), modules: moduleSpans(modules(address, part)) };
        if (covered.length + spans.records.length + spans.modules.size > 0) views.push(checkedView(address, sequence, spans));
      }
      return views.length === 0 ? undefined : joinParts(views);
    },
  };
}
