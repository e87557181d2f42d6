import { createHash, type Hash } from "node:crypto";
import { formatHex } from "../../base/bytes.ts";
import type { Cell } from "../../base/cell.ts";
import type { ArchiveTableName } from "../../schema/archive.ts";
import type { ExportDirectory } from "../export-directory.ts";
import { currentParts, type Manifest, type ManifestSnapshot, pathError } from "../manifest.ts";
import type { TableFormat } from "./row-writer.ts";
import { isOfStates, type Table, viewTableList } from "./table.ts";

export type SnapshotFacts = Omit<ManifestSnapshot, "ledger_version"> & { readonly ledgerVersion: bigint };

export type TableSource = {
  readonly archiveRows: (table: ArchiveTableName, versions: readonly bigint[], given: readonly bigint[]) => AsyncIterable<readonly Cell[]>;
  /** Rows of a view, sorted: of these versions, or all of them. */
  readonly viewRows: (view: string, versions?: readonly bigint[]) => AsyncIterable<readonly Cell[]>;
  /** What derived rows follow from, beside the bytecode of the snapshots. */
  readonly derivations: () => Promise<string>;
};

/** A part to write: a new one, or one that is there, which keeps its snapshots. */
export type PlannedPart = {
  readonly part: number;
  readonly snapshots: readonly SnapshotFacts[];
  /** Versions whose bytecode earlier parts hold. */
  readonly given: readonly bigint[];
  /** Bytecode that no snapshot shows, by SHA-256, which earlier parts hold together with all point reads. */
  readonly givenExtras: ReadonlySet<string>;
};

export type ExportPlan = {
  readonly parts: readonly PlannedPart[];
  /** Tables to write as a whole into the first part, by name, each with its state. */
  readonly whole: ReadonlyMap<string, string>;
  readonly first: number;
  /** See `Manifest`. */
  readonly state: string;
};

/** Archive tables whose rows can change while the snapshots stay as they are: retried gaps, and point reads by a trace. */
const CHANGING: ReadonlySet<string> = new Set(["archive_gaps", "archive_module_probes", "archive_account_probes"]);

/**
 * Plans an export after which all parts together equal the database. New snapshots become a part of their own while a digest over the
 * rows of the others holds. Else all parts are written anew, each in its place, and new snapshots join the last one: where only its
 * rows have changed, each table changes with one file. Undefined if up to date.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` if the directory has other tables, or snapshots that the database has not
 */
export async function planExport(
  directory: ExportDirectory,
  source: TableSource,
  request: {
    readonly format: TableFormat;
    readonly tables: readonly Table[];
    readonly isPartitioned: boolean;
    readonly stored: readonly SnapshotFacts[];
    readonly chosen: readonly SnapshotFacts[];
  },
): Promise<ExportPlan | undefined> {
  const { isPartitioned, stored, chosen } = request;
  const tables = request.tables.filter(({ isWhole }) => isWhole !== true);
  const next = directory.manifests.length + 1;
  const parts = currentParts(directory.manifests).filter(({ content }) => content === request.format);
  const held = new Map(parts.flatMap(({ snapshots }) => snapshots.map((snapshot) => [BigInt(snapshot.ledger_version), snapshot] as const)));
  const extras = tables.some(({ family }) => family === "archive") ? await readExtras(source) : new Set<string>();
  const stateOf = (versions: readonly bigint[]): Promise<string> => digestState(source, { tables, isPartitioned }, versions, extras);
  const first = parts[0]?.part ?? next;
  const whole = await changedWhole(source, request.tables, parts[0]);

  const fresh = chosen.filter(({ ledgerVersion }) => !held.has(ledgerVersion));
  const target = stored.filter((snapshot) => held.has(snapshot.ledgerVersion) || chosen.includes(snapshot));
  const state = await stateOf(target.map(({ ledgerVersion }) => ledgerVersion));
  const last = parts.at(-1);
  if (last === undefined) return { parts: [{ part: next, snapshots: target, given: [], givenExtras: new Set() }], state, whole, first };

  requireSameTables(directory, parts, request);
  const isUnchanged = [...held.values()].every((snapshot) => stored.some((facts) => isSame(describeSnapshot(facts), snapshot)));
  if (isUnchanged && hasTables(parts, tables) && last.state === (fresh.length === 0 ? state : await stateOf([...held.keys()]))) {
    if (fresh.length === 0) return whole.size === 0 ? undefined : { parts: [], state, whole, first };
    return { parts: [{ part: next, snapshots: fresh, given: [...held.keys()], givenExtras: extras }], state, whole, first };
  }
  requireSnapshots(directory, [...held.keys()], stored);
  const given: bigint[] = [];
  const planned = parts.map((manifest): PlannedPart => {
    const own = new Set(manifest.snapshots.map(({ ledger_version }) => BigInt(ledger_version)));
    if (manifest === last) for (const { ledgerVersion } of fresh) own.add(ledgerVersion);
    const earlier = [...given];
    given.push(...own);
    return {
      part: manifest.part,
      snapshots: target.filter(({ ledgerVersion }) => own.has(ledgerVersion)),
      given: earlier,
      givenExtras: earlier.length === 0 ? new Set() : extras,
    };
  });
  return { parts: planned, state, whole, first };
}

export function describeSnapshot({ ledgerVersion, status, accounts, modules, gaps, digest }: SnapshotFacts): ManifestSnapshot {
  return { ledger_version: ledgerVersion.toString(), status, accounts, modules, gaps, digest };
}

/** Tables that follow from large ones: whether their rows are others is told by what these follow from. */
const isLarge = (name: string): boolean => name.endsWith("_held") || (name.endsWith("_history") && name !== "run_history");

/** The tables that are to be written as a whole: those of which the part has another state, or none. */
async function changedWhole(
  source: TableSource,
  tables: readonly Table[],
  part: Manifest | undefined,
): Promise<ReadonlyMap<string, string>> {
  const whole = tables.filter(({ isWhole }) => isWhole);
  const large = createHash("sha256").update(whole.length === 0 ? "" : await source.derivations());
  if (whole.length > 0)
    for (const name of ["modules_history", "accounts_history", "coverage_history"]) await digestRows(large, source.viewRows(name));
  const changed = new Map<string, string>();
  for (const table of whole) {
    const hash = isLarge(table.name) ? large.copy() : createHash("sha256");
    hash.update(describeColumns(table));
    if (!isLarge(table.name)) await digestRows(hash, source.viewRows(table.name));
    const state = hash.digest("hex");
    if (part?.files.find((file) => file.table === table.name)?.state !== state) changed.set(table.name, state);
  }
  return changed;
}

async function digestRows(hash: Hash, rows: AsyncIterable<readonly Cell[]>): Promise<void> {
  for await (const row of rows) hash.update(`${JSON.stringify(row.map(text))}\n`);
}

function describeColumns({ name, columns }: Table): string {
  return `${name}(${columns.map((column) => `${column.name} ${column.type}`).join(", ")})\n`;
}

function hasTables(parts: readonly Manifest[], tables: readonly Table[]): boolean {
  const wanted = new Set<string | null>(tables.map(({ name }) => name));
  return parts.every(({ files }) => {
    const held = new Set(files.filter(({ state }) => state === undefined).map(({ table }) => table));
    held.delete(null);
    return held.size === wanted.size && [...held].every((table) => wanted.has(table));
  });
}

/** A reader of a table that comes or goes, or whose files move, would meet some of its parts. */
function requireSameTables(
  { path }: ExportDirectory,
  parts: readonly Manifest[],
  { tables, isPartitioned }: { readonly tables: readonly Table[]; readonly isPartitioned: boolean },
): void {
  const files = parts.flatMap(({ files }) => files.filter(({ table, state }) => table !== null && state === undefined));
  const wanted = new Set<string | null>(tables.map(({ name }) => name));
  const families = new Set(tables.map(({ family }) => family));
  const lost = files.find(({ table }) => !wanted.has(table))?.table;
  const heldViews = files.filter(({ table }) => viewTableList.some(({ name }) => name === table));
  const missing = [...families].find((family) => (family === "view" ? heldViews.length === 0 : heldViews.length === files.length));
  const isOtherLayout = heldViews.some((file) => file.path.includes("/") !== isPartitioned);
  const what =
    lost !== undefined
      ? `holds the table \`${lost}\`, which this export would not`
      : heldViews.length > 0 && tables.some(({ name }) => isOfStates(name)) !== heldViews.some(({ table }) => isOfStates(table as string))
        ? "holds stretches of snapshots, and not the rows of each"
        : missing !== undefined
          ? `holds no ${missing === "view" ? "views" : "archive tables"}, which this export would`
          : isOtherLayout
            ? `holds views ${isPartitioned ? "without" : "with"} --partition`
            : undefined;
  if (what !== undefined) throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` ${what}. Name a new or empty directory.`);
}

function requireSnapshots({ path }: ExportDirectory, held: readonly bigint[], stored: readonly SnapshotFacts[]): void {
  const lost = held.find((version) => !stored.some(({ ledgerVersion }) => ledgerVersion === version));
  if (lost === undefined) return;
  const text = `\`${path}\` holds the ledger version ${lost}, which this export would not. Name a new or empty directory.`;
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
 * directory are read together, so that all are written anew where columns or types are others.
 */
async function digestState(
  source: TableSource,
  { tables, isPartitioned }: { readonly tables: readonly Table[]; readonly isPartitioned: boolean },
  versions: readonly bigint[],
  extras: ReadonlySet<string>,
): Promise<string> {
  const hash = createHash("sha256");
  hash.update(`${isPartitioned ? "partitioned" : "whole"}\n`);
  for (const table of tables) {
    const { name, family } = table;
    hash.update(describeColumns(table));
    if (family === "archive" ? !CHANGING.has(name) : name.endsWith("_at")) continue;
    await digestRows(
      hash,
      family === "archive" ? source.archiveRows(name as ArchiveTableName, versions, []) : source.viewRows(name, versions),
    );
  }
  for (const sha256 of [...extras].sort()) hash.update(`${sha256}\n`);
  return hash.digest("hex");
}

function text(value: Cell): string | number | null {
  if (value instanceof Uint8Array) return formatHex(value);
  return typeof value === "bigint" ? `${value}n` : value;
}

function isSame(a: ManifestSnapshot, b: ManifestSnapshot): boolean {
  return (Object.keys(a) as (keyof ManifestSnapshot)[]).every((key) => a[key] === b[key]);
}
