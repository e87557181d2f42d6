import { setImmediate } from "node:timers/promises";
import type { ArchiveTableName } from "../../schema/archive.ts";
import { beginPart, type ExportDirectory } from "../export-directory.ts";
import type { HashedFile } from "../hashed-file.ts";
import type { Manifest, ManifestSnapshot } from "../manifest.ts";
import { rowWriter, type TableFormat, tableFormats } from "./row-writer.ts";
import { archiveTableList, snapshotTable, type Table, type Value, viewTableList } from "./table.ts";

/** A sealed snapshot of the database that is exported. */
export type SnapshotFacts = {
  readonly ledgerVersion: bigint;
  readonly status: string;
  readonly accounts: number;
  readonly modules: number;
  readonly gaps: number;
  readonly digest: string;
};

/** The rows to export, all from one state of a database. */
export type TableSource = {
  readonly archiveRows: (table: ArchiveTableName, versions: readonly bigint[], given: readonly bigint[]) => AsyncIterable<readonly Value[]>;
  readonly viewRows: (view: string, versions: readonly bigint[]) => AsyncIterable<readonly Value[]>;
};

/** Which tables are wanted: the archive tables, from which a database can be restored, the public views, or both. */
export type TableFamilies = readonly Table["family"][];

/** One part to write. */
export type TableRequest = {
  readonly format: TableFormat;
  readonly families: TableFamilies;
  readonly chainId: number;
  readonly snapshots: readonly SnapshotFacts[];
  readonly movedexVersion: string;
  /** Called after every `ROWS_PER_REPORT` rows. */
  readonly onRows?: (table: string, rows: number) => void;
};

const ROWS_PER_REPORT = 10_000;

/** Those of `snapshots` that no part of the directory holds in this format as they are now: new ones, and ones that were filled since. */
export function missingSnapshots(
  { manifests }: ExportDirectory,
  snapshots: readonly SnapshotFacts[],
  { format, families }: Pick<TableRequest, "format" | "families">,
): SnapshotFacts[] {
  const held = new Set(heldBy(manifests, format, families).flatMap((manifest) => manifest.snapshots.map(identity)));
  return snapshots.filter((snapshot) => !held.has(identity(describeSnapshot(snapshot))));
}

/** Writes one part with the wanted tables of the snapshots. Bytecode of snapshots that an earlier part holds unchanged is not repeated. */
export async function exportTables(directory: ExportDirectory, source: TableSource, request: TableRequest): Promise<Manifest> {
  const { format, families, snapshots, movedexVersion } = request;
  const versions = snapshots.map(({ ledgerVersion }) => ledgerVersion);
  const renewed = new Set(versions);
  const given = heldBy(directory.manifests, format, ["archive"])
    .flatMap((manifest) => manifest.snapshots.map(({ ledger_version }) => BigInt(ledger_version)))
    .filter((version) => !renewed.has(version));
  const part = beginPart(directory);
  try {
    const write = async (table: Table, rows: AsyncIterable<readonly Value[]>): Promise<void> => {
      await part.file(`${table.name}${tableFormats[format]}`, table.name, (file) => writeRows(file, table, rows, request));
    };
    if (families.includes("archive"))
      for (const table of archiveTableList) {
        const rows = source.archiveRows(table.name, versions, [...new Set(given)]);
        await write(table, table.name === snapshotTable.name ? withChain(rows, request.chainId) : rows);
      }
    if (families.includes("view")) for (const table of viewTableList) await write(table, source.viewRows(table.name, versions));
    return part.publish({
      movedex_version: movedexVersion,
      chain_id: request.chainId,
      content: format,
      snapshots: snapshots.map(describeSnapshot),
    });
  } catch (error) {
    part.abandon();
    throw error;
  }
}

/** Rows with the chain as their last value, so that the manifest's chain can be compared with theirs. */
async function* withChain(rows: AsyncIterable<readonly Value[]>, chainId: number): AsyncGenerator<readonly Value[]> {
  for await (const row of rows) yield [...row, BigInt(chainId)];
}

/** A snapshot's entry in a manifest. */
export function describeSnapshot({ ledgerVersion, status, accounts, modules, gaps, digest }: SnapshotFacts): ManifestSnapshot {
  return { ledger_version: ledgerVersion.toString(), status, accounts, modules, gaps, digest };
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

/** The parts of a directory that hold these families of tables in a format. */
function heldBy(manifests: readonly Manifest[], format: TableFormat, families: TableFamilies): Manifest[] {
  const wanted = [...archiveTableList, ...viewTableList].filter(({ family }) => families.includes(family)).map(({ name }) => name);
  return manifests.filter(({ content, files }) => {
    const tables = new Set(files.map(({ table }) => table));
    return content === format && wanted.every((name) => tables.has(name));
  });
}

function identity({ ledger_version, status, accounts, modules, gaps, digest }: ManifestSnapshot): string {
  return [ledger_version, status, accounts, modules, gaps, digest].join(" ");
}
