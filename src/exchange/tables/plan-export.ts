import { createHash } from "node:crypto";
import { formatHex } from "../../base/hex.ts";
import type { ArchiveTableName } from "../../schema/archive.ts";
import { pathError } from "../exchange-error.ts";
import type { ExportDirectory } from "../export-directory.ts";
import { currentParts, type Manifest, type ManifestSnapshot } from "../manifest.ts";
import type { TableFormat } from "./row-writer.ts";
import { archiveTableList, type Table, type Value, viewTableList } from "./table.ts";

export type SnapshotFacts = Omit<ManifestSnapshot, "ledger_version"> & { readonly ledgerVersion: bigint };

export type TableSource = {
  readonly archiveRows: (table: ArchiveTableName, versions: readonly bigint[], given: readonly bigint[]) => AsyncIterable<readonly Value[]>;
  readonly viewRows: (view: string, versions: readonly bigint[]) => AsyncIterable<readonly Value[]>;
};

/** Which tables are wanted: the archive tables, from which a database can be restored, the public views, or both. */
export type TableFamilies = readonly Table["family"][];

export type ExportPlan = {
  readonly snapshots: readonly SnapshotFacts[];
  /** Versions whose bytecode earlier parts hold. */
  readonly given: readonly bigint[];
  /** Bytecode that no snapshot shows, by SHA-256, which earlier parts hold together with all point reads. */
  readonly givenExtras: ReadonlySet<string>;
  /** Earlier parts that the new one takes the place of. */
  readonly replaces: readonly number[];
  /** See `Manifest`. */
  readonly state: string;
};

/** Archive tables whose rows can change while the snapshots stay as they are: retried gaps, and point reads by a trace. */
const CHANGING: ReadonlySet<string> = new Set(["archive_gaps", "archive_module_probes", "archive_account_probes"]);

/**
 * Plans the next part so that all parts together equal the database. New snapshots are appended while a digest over the other
 * rows holds; else the part replaces all. Undefined if up to date.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` if that would lose what only the directory holds
 */
export async function planExport(
  directory: ExportDirectory,
  source: TableSource,
  request: {
    readonly format: TableFormat;
    readonly families: TableFamilies;
    readonly isPartitioned: boolean;
    readonly stored: readonly SnapshotFacts[];
    readonly chosen: readonly SnapshotFacts[];
  },
): Promise<ExportPlan | undefined> {
  const { families, isPartitioned, stored, chosen } = request;
  const parts = currentParts(directory.manifests).filter(({ content }) => content === request.format);
  const held = new Map(parts.flatMap(({ snapshots }) => snapshots.map((snapshot) => [BigInt(snapshot.ledger_version), snapshot] as const)));
  const extras = families.includes("archive") ? await readExtras(source) : new Set<string>();
  const stateOf = (versions: readonly bigint[]): Promise<string> => digestState(source, { families, isPartitioned }, versions, extras);

  const fresh = chosen.filter(({ ledgerVersion }) => !held.has(ledgerVersion));
  const target = stored.filter((snapshot) => held.has(snapshot.ledgerVersion) || chosen.includes(snapshot));
  const state = await stateOf(target.map(({ ledgerVersion }) => ledgerVersion));
  const first = { snapshots: target, given: [], givenExtras: new Set<string>(), state };
  if (parts.length === 0) return { ...first, replaces: [] };

  const isUnchanged = [...held.values()].every((snapshot) => stored.some((facts) => isSame(describeSnapshot(facts), snapshot)));
  if (isUnchanged && hasTables(parts, families) && parts.at(-1)?.state === (fresh.length === 0 ? state : await stateOf([...held.keys()]))) {
    return fresh.length === 0 ? undefined : { snapshots: fresh, given: [...held.keys()], givenExtras: extras, replaces: [], state };
  }
  requireReplaceable(directory, parts, held, request);
  return { ...first, replaces: parts.map(({ part }) => part) };
}

export function describeSnapshot({ ledgerVersion, status, accounts, modules, gaps, digest }: SnapshotFacts): ManifestSnapshot {
  return { ledger_version: ledgerVersion.toString(), status, accounts, modules, gaps, digest };
}

function tablesOf(families: TableFamilies): readonly Table[] {
  return [...archiveTableList, ...viewTableList].filter(({ family }) => families.includes(family));
}

function hasTables(parts: readonly Manifest[], families: TableFamilies): boolean {
  const wanted = new Set<string | null>(tablesOf(families).map(({ name }) => name));
  return parts.every(({ files }) => {
    const held = new Set(files.map(({ table }) => table));
    held.delete(null);
    return held.size === wanted.size && [...held].every((table) => wanted.has(table));
  });
}

function requireReplaceable(
  { path }: ExportDirectory,
  parts: readonly Manifest[],
  held: ReadonlyMap<bigint, ManifestSnapshot>,
  { families, stored }: { readonly families: TableFamilies; readonly stored: readonly SnapshotFacts[] },
): void {
  const wanted = new Set(tablesOf(families).map(({ name }) => name));
  const table = parts.flatMap(({ files }) => files).find((file) => file.table !== null && !wanted.has(file.table))?.table;
  const version = [...held.keys()].find((candidate) => !stored.some(({ ledgerVersion }) => ledgerVersion === candidate));
  const lost = table ?? (version === undefined ? undefined : `ledger version ${version}`);
  if (lost === undefined) return;
  const text = `\`${path}\` holds ${table === undefined ? "" : "the table "}\`${lost}\`, which this export would not. Name a new or empty directory.`;
  throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", text, { lost });
}

/** Bytecode that point reads found or that was imported without a snapshot. */
async function readExtras(source: TableSource): Promise<Set<string>> {
  const extras = new Set<string>();
  for await (const [sha256] of source.archiveRows("archive_bytecodes", [], [])) extras.add(String(sha256));
  return extras;
}

/**
 * A digest over all rows that can change while the snapshots' own facts stay as they are, and over the columns: parts of one
 * directory are read together, so that one whose columns, types or paths are others replaces the earlier ones.
 */
async function digestState(
  source: TableSource,
  { families, isPartitioned }: { readonly families: TableFamilies; readonly isPartitioned: boolean },
  versions: readonly bigint[],
  extras: ReadonlySet<string>,
): Promise<string> {
  const hash = createHash("sha256");
  hash.update(`${isPartitioned ? "partitioned" : "whole"}\n`);
  for (const { name, family, columns } of tablesOf(families)) {
    hash.update(`${name}(${columns.map((column) => `${column.name} ${column.type}`).join(", ")})\n`);
    if (family === "archive" ? !CHANGING.has(name) : name.endsWith("_at")) continue;
    const rows = family === "archive" ? source.archiveRows(name as ArchiveTableName, versions, []) : source.viewRows(name, versions);
    for await (const row of rows) hash.update(`${JSON.stringify(row.map(text))}\n`);
  }
  for (const sha256 of [...extras].sort()) hash.update(`${sha256}\n`);
  return hash.digest("hex");
}

function text(value: Value): string | number | null {
  if (value instanceof Uint8Array) return formatHex(value);
  return typeof value === "bigint" ? `${value}n` : value;
}

function isSame(a: ManifestSnapshot, b: ManifestSnapshot): boolean {
  return (Object.keys(a) as (keyof ManifestSnapshot)[]).every((key) => a[key] === b[key]);
}
