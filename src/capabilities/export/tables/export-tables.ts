import { createHash, type Hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Cell } from "../../../core/base/cell.ts";
import { harmlessJson } from "../../../core/base/json.ts";
import type { ColumnType } from "../../../core/db/schema/column.ts";
import type { HashedFile } from "../drafts.ts";
import { beginExport, type ExportDirectory, type Written } from "../export-directory.ts";
import { type ManifestSnapshot, pathError } from "../manifest.ts";
import { rowWriter, type TableFormat, tableFormats } from "./row-writer.ts";
import { type CellSource, cellsOf, isOfStates, type Table, viewTableList } from "./table.ts";

export type SnapshotFacts = Omit<ManifestSnapshot, "ledger_version"> & { readonly ledgerVersion: bigint };

/** Rows of a view, sorted, in lists: of these versions, or all of them; and where each of its columns has its cells from in them. */
export type TableSource = {
  readonly cellSources: (view: string) => Promise<readonly CellSource[]>;
  readonly viewRows: (view: string, versions?: readonly bigint[]) => Rows;
  /** What derived rows follow from, beside the bytecode that the snapshots show. */
  readonly derivations: () => Promise<string>;
};

/** Tables to write. */
export type TableRequest = {
  readonly format: TableFormat;
  readonly tables: readonly Table[];
  /** Whether each view is a folder with a file for each snapshot. */
  readonly isPartitioned: boolean;
  readonly chainId: number;
  readonly snapshots: readonly SnapshotFacts[];
  readonly movedexVersion: string;
  /** Called after about `ROWS_PER_REPORT` rows each. */
  readonly onRows?: (table: string, rows: number) => void;
};

const ROWS_PER_REPORT = 10_000;

export function describeSnapshot({ ledgerVersion, status, accounts, modules, gaps, digest }: SnapshotFacts): ManifestSnapshot {
  return { ledger_version: ledgerVersion.toString(), status, accounts, modules, gaps, digest };
}

/**
 * The snapshots of which an export has rows: those chosen, and those that the directory has. @throws ExchangeError
 * `MOVEDEX_EXPORT_DIRECTORY` if its files are of another kind, or of snapshots that the database has not
 */
export function snapshotsToExport(
  { path, manifests }: ExportDirectory,
  { format, tables, isPartitioned }: Pick<TableRequest, "format" | "tables" | "isPartitioned">,
  stored: readonly SnapshotFacts[],
  chosen: readonly SnapshotFacts[],
): readonly SnapshotFacts[] {
  const views = manifests.flatMap(({ files }) =>
    files.filter(({ table }) => viewTableList.some(({ name, isWhole }) => name === table && !isWhole)),
  );
  const held = new Set(manifests.flatMap(({ snapshots }) => snapshots.map(({ ledger_version }) => BigInt(ledger_version))));
  const other = manifests.find(({ content }) => content !== format)?.content;
  const lost = [...held].find((version) => !stored.some(({ ledgerVersion }) => ledgerVersion === version));
  const isBySnapshot = tables.some(({ name }) => isOfStates(name));
  const what =
    other !== undefined
      ? `holds an export as ${other}`
      : views.some(({ table }) => isOfStates(table as string)) !== isBySnapshot && views.length > 0
        ? "holds stretches of snapshots, and not the rows of each"
        : views.some((file) => file.path.includes("/") !== isPartitioned)
          ? `holds views ${isPartitioned ? "without" : "with"} --partition`
          : lost !== undefined
            ? `holds the ledger version ${lost}, which this export would not`
            : undefined;
  if (what !== undefined) throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` ${what}. Name a new or empty directory.`);
  return stored.filter((snapshot) => (views.length > 0 && held.has(snapshot.ledgerVersion)) || chosen.includes(snapshot));
}

/** Tables with a row for each stretch or version of what modules hold, or that count these: they follow from stretches of listings. */
const isLarge = ({ name, isWhole }: Table): boolean =>
  isWhole === true && /_(?:held|history|counts_latest)$/.test(name) && name !== "bytes_held" && name !== "run_history";

/** A digest over what the rows of large tables follow from: a quiet night reads these few rows, and not all. */
async function stateOfLarge(source: TableSource, movedexVersion: string): Promise<Hash> {
  const hash = createHash("sha256").update(`${movedexVersion}\n${await source.derivations()}\n`);
  for (const view of viewTableList.filter(({ name }) => /^(?:modules|accounts|coverage)_history$/.test(name))) {
    const cells = cellsOf((await placed(view, source)).columns);
    for await (const rows of source.viewRows(view.name)) for (const row of rows) hash.update(`${cells(row).map(String).join("\u001f")}\n`);
  }
  return hash;
}

async function placed(table: Table, source: TableSource): Promise<Table> {
  const sources = await source.cellSources(table.name);
  return { ...table, columns: table.columns.map((column, i) => ({ ...column, source: sources[i] as CellSource })) };
}

/** Writes the tables whole. Files that would be the same stay. */
export async function exportTables(directory: ExportDirectory, source: TableSource, request: TableRequest): Promise<Written> {
  const { format, tables, chainId, movedexVersion, snapshots } = request;
  using writer = beginExport(directory);
  const large = tables.some(isLarge) ? await stateOfLarge(source, movedexVersion) : undefined;
  for (const view of tables) {
    const { table, files } = filesOf(await placed(view, source), source, request);
    const state = isLarge(view) ? large?.copy().update(JSON.stringify(view.columns)).digest("hex") : undefined;
    for (const { path, rows } of files) await writer.table(path, table.name, (file) => writeRows(file, table, rows, request), state);
    if (format === "csv") await writer.file(`${table.name}.schema.json`, csvSchema(table));
  }
  return writer.publish({
    movedex_version: movedexVersion,
    chain_id: chainId,
    content: format,
    snapshots: snapshots.map(describeSnapshot),
  });
}

type Rows = AsyncIterable<readonly (readonly Cell[])[]>;

/** A table as it is written, in one file or several. */
type TableFiles = { readonly table: Table; readonly files: readonly { readonly path: string; readonly rows: Rows }[] };

/** Columns whose values stand in the paths of a partitioned table, in the order of the folders. As Hive has it, its files lack them. */
const KEYS: readonly string[] = ["chain_id", "ledger_version"];

/** The file of a table, or its partitions, such as `gaps/chain_id=4/ledger_version=123/gaps.csv`. */
function filesOf(table: Table, source: TableSource, { format, isPartitioned, chainId, snapshots }: TableRequest): TableFiles {
  const { name, columns } = table;
  const file = `${name}${tableFormats[format]}`;
  const versions = snapshots.map(({ ledgerVersion }) => ledgerVersion);
  if (table.isWhole || !isPartitioned)
    return { table, files: [{ path: file, rows: source.viewRows(name, table.isWhole ? undefined : versions) }] };
  return {
    table: { ...table, columns: columns.filter((column) => !KEYS.includes(column.name)) },
    files: versions.map((version) => ({
      path: `${name}/chain_id=${chainId}/ledger_version=${version}/${file}`,
      rows: source.viewRows(name, [version]),
    })),
  };
}

async function writeRows(file: HashedFile, table: Table, lists: Rows, { format, movedexVersion, onRows }: TableRequest): Promise<number> {
  const writer = rowWriter(format, table, file, `movedex ${movedexVersion}`);
  let [count, reported] = [0, 0];
  for await (const rows of lists) {
    writer.rows(rows);
    count += rows.length;
    if (count - reported < ROWS_PER_REPORT) continue;
    reported = count;
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
