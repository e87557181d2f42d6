import { setImmediate } from "node:timers/promises";
import { harmlessJson } from "../../base/json.ts";
import type { ArchiveTableName } from "../../schema/archive.ts";
import type { ColumnType } from "../../schema/kinds.ts";
import { beginPart, type ExportDirectory, removeReplaced } from "../export-directory.ts";
import type { HashedFile } from "../hashed-file.ts";
import type { Manifest } from "../manifest.ts";
import { describeSnapshot, type ExportPlan, type TableFamilies, type TableSource } from "./plan-export.ts";
import { rowWriter, type TableFormat, tableFormats } from "./row-writer.ts";
import { archiveTableList, CHAIN_COLUMN, snapshotTable, type Table, type Value, viewTableList } from "./table.ts";

/** One part to write. */
export type TableRequest = {
  readonly format: TableFormat;
  readonly families: TableFamilies;
  /** Whether each view is a folder with a file for each snapshot: see `partitionPath`. */
  readonly isPartitioned: boolean;
  readonly chainId: number;
  readonly plan: ExportPlan;
  readonly movedexVersion: string;
  /** Called after every `ROWS_PER_REPORT` rows. */
  readonly onRows?: (table: string, rows: number) => void;
};

const ROWS_PER_REPORT = 10_000;

/** Writes one part as planned. The parts that it replaces are deleted once it is there. */
export async function exportTables(directory: ExportDirectory, source: TableSource, request: TableRequest): Promise<Manifest> {
  const { format, families, isPartitioned, chainId, movedexVersion, plan } = request;
  const versions = plan.snapshots.map(({ ledgerVersion }) => ledgerVersion);
  const isAppended = plan.given.length > 0;
  const archiveRows = (name: ArchiveTableName): AsyncIterable<readonly Value[]> => {
    // Point reads are all in the first of the current parts, and so is bytecode that no snapshot shows.
    if (isAppended && (name === "archive_module_probes" || name === "archive_account_probes")) return none();
    const rows = source.archiveRows(name, versions, plan.given);
    if (name === snapshotTable.name) return withChain(rows, chainId);
    return name === "archive_bytecodes" ? without(rows, plan.givenExtras) : rows;
  };
  const part = beginPart(directory);
  let manifest: Manifest;
  try {
    const write = ({ path, table, rows }: TableFile): Promise<void> =>
      part.table(path, table.name, (file) => writeRows(file, table, rows, request));
    const describe = async (table: Table): Promise<void> => {
      if (format === "csv") await part.file(`${table.name}.schema.json`, csvSchema(table));
    };
    if (families.includes("archive")) {
      for (const table of archiveTableList) {
        await write({ path: `${table.name}${tableFormats[format]}`, table, rows: archiveRows(table.name) });
        await describe(table);
      }
    }
    if (families.includes("view")) {
      for (const view of viewTableList) {
        for (const file of viewFiles(view, source, versions, request)) await write(file);
        await describe(isPartitioned ? partitionTable(view) : view);
      }
    }
    manifest = part.publish({
      movedex_version: movedexVersion,
      chain_id: chainId,
      content: format,
      snapshots: plan.snapshots.map(describeSnapshot),
      replaces: plan.replaces,
      state: plan.state,
    });
  } catch (error) {
    part.abandon();
    throw error;
  }
  removeReplaced({ ...directory, manifests: [...directory.manifests, manifest] });
  return manifest;
}

type TableFile = { readonly path: string; readonly table: Table; readonly rows: AsyncIterable<readonly Value[]> };

function viewFiles(
  view: Table,
  source: TableSource,
  versions: readonly bigint[],
  { format, isPartitioned, chainId }: TableRequest,
): readonly TableFile[] {
  const ending = tableFormats[format];
  if (!isPartitioned) return [{ path: `${view.name}${ending}`, table: view, rows: source.viewRows(view.name, versions) }];
  const table = partitionTable(view);
  return versions.map((version) => ({
    path: partitionPath(view.name, chainId, version, ending),
    table,
    rows: partitionRows(view, source.viewRows(view.name, [version])),
  }));
}

async function* none(): AsyncGenerator<never> {}

async function* without(rows: AsyncIterable<readonly Value[]>, given: ReadonlySet<string>): AsyncGenerator<readonly Value[]> {
  for await (const row of rows) if (!given.has(String(row[0]))) yield row;
}

/** Rows with the chain as their last value, so that the manifest's chain can be compared with theirs. */
async function* withChain(rows: AsyncIterable<readonly Value[]>, chainId: number): AsyncGenerator<readonly Value[]> {
  for await (const row of rows) yield [...row, BigInt(chainId)];
}

async function writeRows(
  file: HashedFile,
  table: Table,
  rows: AsyncIterable<readonly Value[]>,
  { format, movedexVersion, onRows }: TableRequest,
): Promise<number> {
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

/** Columns whose values stand in the paths of a partitioned table, in the order of the folders. */
const KEYS: readonly string[] = [CHAIN_COLUMN, "ledger_version"];

/** A table as its partitions hold it: without the columns that their paths tell, as Hive has it. */
function partitionTable({ columns, ...table }: Table): Table {
  return { ...table, columns: columns.filter(({ name }) => !KEYS.includes(name)) };
}

/** The rows of a table as rows of `partitionTable`. */
async function* partitionRows({ columns }: Table, rows: AsyncIterable<readonly Value[]>): AsyncGenerator<readonly Value[]> {
  const kept = columns.flatMap(({ name }, i) => (KEYS.includes(name) ? [] : [i]));
  for await (const row of rows) yield kept.map((i) => row[i] ?? null);
}

/** The path of a partition in its part, such as `gaps/chain_id=4/ledger_version=123/gaps.csv`. */
function partitionPath(table: string, chainId: number, version: bigint, ending: string): string {
  return `${table}/chain_id=${chainId}/ledger_version=${version}/${table}${ending}`;
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
