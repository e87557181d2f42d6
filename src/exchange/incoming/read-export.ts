import { createHash } from "node:crypto";
import { createReadStream, type Dirent, lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { formatHex } from "../../base/hex.ts";
import type { ArchiveTableName } from "../../schema/archive.ts";
import { DRAFT } from "../drafts.ts";
import { type ExchangeError, pathError } from "../exchange-error.ts";
import { type ExportDirectory, readExportDirectory } from "../export-directory.ts";
import { currentParts, type Manifest, type ManifestSnapshot, manifestName, partName } from "../manifest.ts";
import { archiveTableList, snapshotTable, type Value } from "../tables/table.ts";
import { readJsonl } from "./jsonl-reader.ts";
import { readParquet } from "./parquet-reader.ts";

/** An export whose files were checked against its manifests: all are present, unchanged, and there are no others. */
export type CheckedExport = {
  readonly chainId: number;
  /** SHA-256 of the last manifest, 64 hex digits. It covers the manifests and files of all parts. */
  readonly digest: string;
  /** All rows of the archive tables, part by part, in batches. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` */
  readonly rows: () => AsyncGenerator<{ readonly part: number; readonly table: ArchiveTableName; readonly rows: readonly Value[][] }>;
};

/** Not in exports of builds that read every record with the modules: it was the same as the coverage of accounts then. */
const RECORD_COVERAGE = "archive_record_coverage" satisfies ArchiveTableName;

const readers = { parquet: readParquet, jsonl: readJsonl } as const;

/**
 * Checks an export and opens it for reading. @throws ExchangeError `MOVEDEX_IMPORT_DAMAGED` if it is incomplete or was edited,
 * `MOVEDEX_IMPORT_UNKNOWN` if it is not an export that can be imported
 */
export async function openExport(path: string): Promise<CheckedExport> {
  const directory = readExportDirectory(path);
  const [first] = directory.manifests;
  if (first === undefined || directory.latest === null) throw unknown(path, "there is no manifest in it");
  const parts = currentParts(directory.manifests).filter(({ content }) => Object.hasOwn(readers, content));
  const archives = parts.filter(({ files }) =>
    archiveTableList.every(({ name }) => name === RECORD_COVERAGE || files.some(({ table }) => table === name)),
  );
  if (archives.length === 0) {
    throw unknown(
      path,
      "a database can be made again from Parquet and JSONL with the archive tables only; export with --format parquet or jsonl and --tables all or archive",
    );
  }
  if (directory.manifests.some(({ chain_id }) => chain_id !== first.chain_id)) throw damaged(path, "its parts are of different chains");
  await checkFiles(directory);
  return { chainId: first.chain_id, digest: directory.latest, rows: () => readRows(directory, archives) };
}

async function checkFiles({ path, manifests }: ExportDirectory): Promise<void> {
  const known = new Set(manifests.flatMap(({ part }) => [partName(part), manifestName(part)]));
  const stray = readdirSync(path).find((name) => !known.has(name));
  if (stray !== undefined) throw damaged(path, `\`${stray}\` has no manifest: an export was cut off there. Run it again`);
  // A part that was replaced is gone, unless the export of an earlier build was killed just then.
  for (const { part, files } of currentParts(manifests)) {
    const directory = join(path, partName(part));
    const listed = new Set(files.map((file) => file.path));
    for (const name of filesBelow(directory))
      if (!listed.delete(name)) {
        const hint = name.endsWith(DRAFT) ? ": an export was cut off there. Run it again" : "";
        throw damaged(path, `\`${partName(part)}/${name}\` is in no manifest${hint}`);
      }
    for (const name of listed) throw damaged(path, `\`${partName(part)}/${name}\` is missing`);
    for (const { path: name, bytes, sha256 } of files) {
      const file = join(directory, name);
      if (lstatSync(file).size !== bytes || (await digestOf(file)) !== sha256)
        throw damaged(path, `\`${partName(part)}/${name}\` was changed or cut off`);
    }
  }
}

/** All files in a directory and its subdirectories. Links and other special files get a name that no manifest contains. */
function* filesBelow(directory: string): Generator<string> {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const name = relative(directory, join(entry.parentPath, entry.name)).replaceAll("\\", "/");
    if (entry.isFile()) yield name;
    else if (!entry.isDirectory()) yield `${name} (not a plain file)`;
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

async function* readRows({ path }: ExportDirectory, archives: readonly Manifest[]): ReturnType<CheckedExport["rows"]> {
  for (const manifest of archives) {
    const { part, content, files } = manifest;
    const snapshots: (readonly Value[])[] = [];
    const isOfBoth = !files.some(({ table }) => table === RECORD_COVERAGE);
    for (const table of archiveTableList) {
      const file = files.find((entry) => entry.table === table.name);
      if (file === undefined) continue;
      let count = 0;
      for await (const rows of readers[content as keyof typeof readers](join(path, partName(part), file.path), table)) {
        count += rows.length;
        // Said before the rest is read: what the manifest tells is all that there may be.
        if (count > (file.rows ?? 0))
          throw damaged(path, `\`${partName(part)}/${file.path}\` has more than the ${file.rows} rows that its manifest says`);
        const isSnapshots = table.name === snapshotTable.name;
        if (isSnapshots) for (const row of rows) snapshots.push(row);
        // The chain is in files only.
        yield { part, table: table.name, rows: isSnapshots ? rows.map((row) => row.slice(0, -1)) : rows };
        if (isOfBoth && table.name === "archive_coverage") yield { part, table: RECORD_COVERAGE, rows };
      }
      if (count !== file.rows)
        throw damaged(path, `\`${partName(part)}/${file.path}\` has ${count} rows, and its manifest says ${file.rows}`);
    }
    const difference = manifestDifference(manifest, snapshots);
    if (difference !== undefined) throw damaged(path, `\`${partName(part)}\`: ${difference}`);
  }
}

function damaged(path: string, why: string): ExchangeError {
  return pathError(path, "MOVEDEX_IMPORT_DAMAGED", `the export \`${path}\` was changed or damaged: ${why}. Nothing was imported.`);
}

function unknown(path: string, why: string): ExchangeError {
  return pathError(path, "MOVEDEX_IMPORT_UNKNOWN", `cannot import \`${path}\`: ${why}.`);
}

/** Compares a manifest's snapshots with the rows of `archive_snapshots` in its part. Returns the first difference in words, if any. */
function manifestDifference(manifest: Manifest, rows: readonly (readonly Value[])[]): string | undefined {
  const facts = rows.map((row) => Object.fromEntries(snapshotTable.columns.map(({ name }, i) => [name, row[i]])) as SnapshotRow);
  // Exports of the first builds have no chain in their rows.
  const other = facts.find(({ chain_id }) => chain_id !== null && chain_id !== BigInt(manifest.chain_id));
  if (other !== undefined) return `its rows are of chain ${other.chain_id}, and its manifest says ${manifest.chain_id}`;
  const texts = new Map(facts.map((row) => [String(row.ledger_version), describe(row)]));
  for (const snapshot of manifest.snapshots) {
    const found = texts.get(snapshot.ledger_version);
    if (found === undefined) return `its manifest has a snapshot of ledger version ${snapshot.ledger_version}, and its rows have none`;
    const wanted = describe(snapshot);
    if (found !== wanted) return `its manifest says of ledger version ${snapshot.ledger_version}: ${wanted}; its rows say: ${found}`;
    texts.delete(snapshot.ledger_version);
  }
  const [missing] = texts.keys();
  return missing === undefined ? undefined : `its rows have a snapshot of ledger version ${missing} that is not in its manifest`;
}

type SnapshotRow = Readonly<Record<keyof ManifestSnapshot, Value> & { readonly chain_id: bigint | null }>;

function describe({ status, accounts, modules, gaps, digest }: SnapshotRow | ManifestSnapshot): string {
  const shown = digest instanceof Uint8Array ? formatHex(digest) : digest;
  return `${status}, ${accounts} accounts, ${modules} modules, ${gaps} gaps, digest ${shown}`;
}
