import { setImmediate } from "node:timers/promises";
import type { Cell } from "../../base/cell.ts";
import { harmlessJson } from "../../base/json.ts";
import type { ArchiveTableName } from "../../schema/archive.ts";
import type { ColumnType } from "../../schema/kinds.ts";
import type { HashedFile } from "../drafts.ts";
import type { ExportDirectory } from "../export-directory.ts";
import { beginParts, type Written } from "../part-writer.ts";
import { describeSnapshot, type ExportPlan, type PlannedPart, type TableSource } from "./plan-export.ts";
import { rowWriter, type TableFormat, tableFormats } from "./row-writer.ts";
import { type Column, snapshotTable, type Table } from "./table.ts";

/** Parts to write. */
export type TableRequest = {
  readonly format: TableFormat;
  readonly tables: readonly Table[];
  /** Whether each view is a folder with a file for each snapshot: see `viewFiles`. */
  readonly isPartitioned: boolean;
  readonly chainId: number;
  readonly plan: ExportPlan;
  readonly movedexVersion: string;
  /** Called after every `ROWS_PER_REPORT` rows. */
  readonly onRows?: (table: string, rows: number) => void;
};

const ROWS_PER_REPORT = 10_000;

/** Writes parts as planned. */
export async function exportTables(directory: ExportDirectory, source: TableSource, request: TableRequest): Promise<Written> {
  const { format, tables, chainId, movedexVersion, plan } = request;
  using parts = beginParts(directory);
  const written = new Set(tables.filter(({ name, isWhole }) => !isWhole || plan.whole.has(name)).map(({ name }) => name));
  const isOfWritten = (path: string): boolean => written.has(path.replace(/[./].*$/s, ""));
  const writeTable = async (part: ReturnType<typeof parts.part>, { table, files }: TableFiles): Promise<void> => {
    for (const { path, rows } of files)
      await part.table(path, table.name, (file) => writeRows(file, table, rows, request), plan.whole.get(table.name));
    if (format === "csv") await part.file(`${table.name}.schema.json`, csvSchema(table));
  };
  const whole = tables.filter(({ name }) => plan.whole.has(name));
  const wholeFiles = (table: Table): TableFiles => ({
    table,
    files: [{ path: `${table.name}${tableFormats[format]}`, rows: source.viewRows(table.name) }],
  });
  for (const planned of plan.parts) {
    const { part: number, snapshots } = planned;
    const facts = { movedex_version: movedexVersion, chain_id: chainId, content: format, snapshots: snapshots.map(describeSnapshot) };
    const part = parts.part({ part: number, ...facts, state: plan.state }, (path) => !isOfWritten(path));
    const versions = snapshots.map(({ ledgerVersion }) => ledgerVersion);
    for (const table of tables.filter(({ isWhole }) => !isWhole))
      await writeTable(part, tableFiles(table, source, versions, planned, request));
    if (number === plan.first) for (const table of whole) await writeTable(part, wholeFiles(table));
  }
  const held = directory.manifests[plan.first - 1];
  if (held !== undefined && whole.length > 0 && plan.parts.every(({ part }) => part !== plan.first)) {
    const { format: _format, schema_version: _schema, previous: _previous, files: _files, replaces: _replaces, ...facts } = held;
    const part = parts.part(facts, (path) => !plan.whole.has(path.replace(/[./].*$/s, "")));
    for (const table of whole) await writeTable(part, wholeFiles(table));
  }
  return parts.publish();
}

function archiveRows(
  name: ArchiveTableName,
  source: TableSource,
  versions: readonly bigint[],
  { given, givenExtras }: PlannedPart,
  chainId: number,
): Rows {
  // Point reads are all in the first of the current parts, and so is bytecode that no snapshot shows.
  if (given.length > 0 && (name === "archive_module_probes" || name === "archive_account_probes")) return none();
  const rows = source.archiveRows(name, versions, given);
  // The chain is the last value, so that the manifest's can be compared with it.
  if (name === snapshotTable.name) return changed(rows, (row) => [...row, BigInt(chainId)]);
  return name === "archive_bytecodes" ? changed(rows, (row) => (givenExtras.has(String(row[0])) ? undefined : row)) : rows;
}

type Rows = AsyncIterable<readonly Cell[]>;

/** A table as it is written, in one file or several. */
type TableFiles = { readonly table: Table; readonly files: readonly { readonly path: string; readonly rows: Rows }[] };

/** Columns whose values stand in the paths of a partitioned table, in the order of the folders. As Hive has it, its files lack them. */
const KEYS: readonly string[] = ["chain_id", "ledger_version"];

/** The file of a table, or the partitions of a view, such as `gaps/chain_id=4/ledger_version=123/gaps.csv`. */
function tableFiles(
  view: Table,
  source: TableSource,
  versions: readonly bigint[],
  planned: PlannedPart,
  { format, isPartitioned, chainId }: TableRequest,
): TableFiles {
  const { name, columns } = view;
  const file = `${name}${tableFormats[format]}`;
  if (view.family === "archive")
    return { table: view, files: [{ path: file, rows: archiveRows(name as ArchiveTableName, source, versions, planned, chainId) }] };
  if (!isPartitioned) return { table: view, files: [{ path: file, rows: source.viewRows(name, versions) }] };
  const kept = [...columns.keys()].filter((i) => !KEYS.includes((columns[i] as Column).name));
  return {
    table: { ...view, columns: kept.map((i) => columns[i] as Column) },
    files: versions.map((version) => ({
      path: `${name}/chain_id=${chainId}/ledger_version=${version}/${file}`,
      rows: changed(source.viewRows(name, [version]), (row) => kept.map((i) => row[i] ?? null)),
    })),
  };
}

async function* none(): AsyncGenerator<never> {}

type RowChange = (row: readonly Cell[]) => readonly Cell[] | undefined;

/** Rows as they are after a change each; those that it makes nothing of are left out. */
async function* changed(rows: Rows, change: RowChange): AsyncGenerator<readonly Cell[]> {
  for await (const row of rows) {
    const made = change(row);
    if (made !== undefined) yield made;
  }
}

async function writeRows(file: HashedFile, table: Table, rows: Rows, { format, movedexVersion, onRows }: TableRequest): Promise<number> {
  const writer = rowWriter(format, table, file, `movedex ${movedexVersion}`);
  let count = 0;
  for await (const row of rows) {
    writer.row(row);
    count += 1;
    if (count % ROWS_PER_REPORT !== 0) continue;
    onRows?.(table.name, count);
    // The compressor's memory is released only when the event loop turns.
    await setImmediate();
  }
  writer.end();
  return count;
}

/** Each type as the Table Schema names it, and as DuckDB does. Texts of digits, such as the address 0x1, are no numbers. */
const types = {
  text: [{ type: "string" }, "VARCHAR"],
  integer: [{ type: "integer" }, "BIGINT"],
  u64: [{ type: "integer" }, "UBIGINT"],
  bytes: [{ type: "string" }, "VARCHAR"],
  boolean: [{ type: "boolean", trueValues: ["true"], falseValues: ["false"] }, "BOOLEAN"],
  time: [{ type: "datetime", format: "default" }, "TIMESTAMP WITH TIME ZONE"],
} as const satisfies Record<ColumnType, readonly [field: object, duckdb: string]>;

/**
 * The columns of a CSV file with their types and meanings, in JSON: a Table Schema of the Data Package standard. `duckdb_types`
 * is an addition, for the option `types` of DuckDB's `read_csv`. Source: https://datapackage.org/standard/table-schema/
 */
function csvSchema({ name, meaning, columns }: Table): string {
  const fields = columns.map((column) => ({
    name: column.name,
    ...types[column.type][0],
    description: column.meaning,
    ...(column.isNullable ? {} : { constraints: { required: true } }),
  }));
  const schema = {
    $schema: "https://datapackage.org/profiles/2.0/tableschema.json",
    title: name,
    description: meaning,
    fields,
    missingValues: [""],
    duckdb_types: Object.fromEntries(columns.map((column) => [column.name, types[column.type][1]])),
  };
  return `${harmlessJson(schema, 2)}\n`;
}
