import type { Command } from "commander";
import { packageVersion } from "../../core/base/files.ts";
import { grouped, plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { all, either, object, orNull, text, whole } from "../../core/base/result.ts";
import type { Io } from "../../core/cli/io.ts";
import { rowsToCome } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { ConfigError } from "../../core/errors.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import { type ExportDirectory, openExportDirectory, type Written } from "./export-directory.ts";
import { exportModules, type ModuleFormat, modulesOf, olderAccounts, requireHeld } from "./export-modules.ts";
import { type ExportedModule, type ExportSession, openExportSession, type SealedSnapshot } from "./exporting.ts";
import type { ExportFlags, ExportFormat, ExportRange } from "./format.ts";
import { ExchangeError, fewNames, manifestName } from "./manifest.ts";
import { exportTables, snapshotsToExport } from "./tables/export-tables.ts";
import type { TableFormat } from "./tables/row-writer.ts";
import { EVERY_VIEW, isOfStates, tablesOf, viewTableList } from "./tables/table.ts";

const exportResult = object({
  directory: text,
  part: orNull(whole),
  content: orNull(text),
  ...all(whole, "snapshots", "files", "rows", "bytes"),
});

export async function exportResults(formats: readonly ExportFormat[]) {
  return either<unknown>([exportResult, ...(await Promise.all(formats.map(({ result }) => result())))]);
}

/** Which formats take an option; all take the others. */
const takers: Readonly<Record<string, readonly string[]>> = {
  partition: ["parquet", "csv", "jsonl"],
  view: ["parquet", "csv", "jsonl"],
  account: ["abi-json", "mv"],
  module: ["abi-json", "mv"],
};

/**
 * The options that the format takes. Others are refused where the command line gives them; a settings file gives them to exports in
 * every format, so from there they are left out.
 */
function takenOptions<Flags extends { readonly format: string }>(command: Command, flags: Flags, formats: readonly ExportFormat[]): Flags {
  const takersOf = (name: string): readonly string[] | undefined => {
    const others = formats.filter(({ options }) => options.includes(name)).map(({ format }) => format);
    return others.length === 0 ? takers[name] : [...(takers[name] ?? []), ...others];
  };
  const isTaken = (name: string): boolean => takersOf(name)?.includes(flags.format) ?? true;
  const refused = Object.keys(flags).find((name) => !isTaken(name) && command.getOptionValueSource(name) === "cli");
  if (refused !== undefined) {
    throw new ConfigError(
      `--format ${flags.format} does not take --${refused}; these formats do: ${takersOf(refused)?.join(", ")}. Leave it out, or choose one of them.`,
    );
  }
  return Object.fromEntries(Object.entries(flags).filter(([name]) => isTaken(name))) as Flags;
}

export async function runExport(
  io: Io,
  directory: string,
  given: ExportFlags,
  command: Command,
  formats: readonly ExportFormat[],
): Promise<ExitName> {
  const flags = takenOptions(command, given, formats);
  await using session = await openExportSession(flags.db);
  const other = formats.find(({ format }) => format === flags.format);
  if (other !== undefined) return await other.run(io, directory, session, chooseOne(session, flags.at), flags);
  if (flags.format === "mv" || flags.format === "abi-json") return await writeModules(io, directory, session, flags.format, flags);
  return await writeTables(io, directory, session, flags.format as TableFormat, flags);
}

/** @throws ExchangeError when a part of a directory is of another chain */
function requireChain(parts: readonly { readonly chain_id: number }[], { chainId }: ExportSession, directory: string): void {
  const other = parts.find(({ chain_id }) => chainId !== null && chain_id !== chainId);
  if (other === undefined) return;
  throw new ExchangeError(
    "MOVEDEX_EXPORT_DIRECTORY",
    `\`${printable(directory)}\` holds an export of chain ${other.chain_id}, and the database is of chain ${chainId}. Name another directory.`,
    { facts: { stored: other.chain_id, found: chainId } },
  );
}

async function writeTables(
  io: Io,
  directory: string,
  session: ExportSession,
  format: TableFormat,
  { partition: isPartitioned = false, at, view, json }: ExportFlags,
): Promise<ExitName> {
  if (at !== undefined && at !== "all") requireOfSnapshots(view, at);
  const target = openExportDirectory(directory);
  requireChain(target.manifests, session, directory);
  // Rows of each snapshot where these are asked for, or where the directory has such.
  const held = target.manifests.flatMap(({ files }) => files.flatMap(({ table }) => table ?? []));
  const written = { format, tables: tablesOf(at !== undefined || isPartitioned || held.some(isOfStates), view, held), isPartitioned };
  const snapshots = snapshotsToExport(target, written, session.snapshots, choose(session, at ?? "all"));
  const done = await exportTables(target, session, {
    ...written,
    chainId: session.chainId as number,
    snapshots,
    movedexVersion: packageVersion(),
    onRows: (table, rows) => {
      io.statusLine(`${table}: ${plural(rows, "row")}`);
    },
  });
  io.statusLine(undefined);
  io.stderr(rowsToCome(await session.underived()) ?? "");
  return report(io, directory, done, json);
}

/** @throws ConfigError when a view that is named has no rows of one snapshot, and would be written whole in spite of `--at` */
function requireOfSnapshots(named: readonly string[] | undefined, at: bigint | "latest"): void {
  const whole = viewTableList.find(({ name, isWhole }) => isWhole && (named?.includes(name) || named?.includes(EVERY_VIEW)))?.name;
  if (whole === undefined) return;
  throw new ConfigError(
    `--at ${at} chooses the rows of a snapshot, and the view ${whole} is written whole. Leave out --at, or name a view \`…_at\`.`,
  );
}

async function writeModules(io: Io, path: string, session: ExportSession, format: ModuleFormat, flags: ExportFlags): Promise<ExitName> {
  const snapshot = chooseOne(session, flags.at);
  const target = openExportDirectory(path);
  requireChain(target.manifests, session, path);
  requireModules(target, format);
  const wanted = wantedModules(io, modulesOf(session, snapshot, flags), snapshot, flags);
  const request = { format, chainId: session.chainId as number, snapshots: session.snapshots, movedexVersion: packageVersion() };
  const { written, undecoded } = await exportModules(target, wanted, request);
  if (undecoded.length > 0) {
    io.stderr(`movedex: ${plural(undecoded.length, "module")} without an ABI, not written: ${fewNames(undecoded)}\n`);
  }
  return report(io, path, written, flags.json);
}

function requireModules({ path, manifests }: ExportDirectory, format: ModuleFormat): void {
  const other = manifests.find(({ content }) => content !== format)?.content;
  if (other === undefined) return;
  throw new ExchangeError("MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` holds an export as ${other}. Name a new or empty directory.`);
}

async function* wantedModules(
  io: Io,
  modules: AsyncIterable<ExportedModule>,
  snapshot: SealedSnapshot,
  { account, module }: Pick<ExportFlags, "account" | "module">,
): AsyncGenerator<ExportedModule> {
  const isAll = account === undefined && module === undefined;
  const held: string[] = [];
  const older = new Set<string>();
  for await (const stored of modules) {
    const id = formatModuleId(stored);
    held.push(id);
    if (!isAll && !account?.includes(stored.address) && !module?.includes(id)) continue;
    if (stored.readAt !== snapshot.ledgerVersion) older.add(stored.address);
    yield stored;
  }
  requireHeld(held, { accounts: account ?? [], modules: module ?? [] }, "");
  io.stderr(olderAccounts(snapshot, older));
}

function choose(session: ExportSession, range: ExportRange): readonly SealedSnapshot[] {
  const { snapshots } = session;
  if (snapshots.length === 0 || session.chainId === null) {
    throw new ExchangeError("MOVEDEX_EXPORT_NOTHING", `\`${session.path}\` holds no sealed snapshot yet. \`movedex sync\` makes one.`, {
      facts: { path: session.path },
    });
  }
  if (range === "all") return snapshots;
  if (range === "latest") return snapshots.slice(-1);
  const found = snapshots.filter(({ ledgerVersion }) => ledgerVersion === range);
  if (found.length > 0) return found;
  const near = snapshots.findLast(({ ledgerVersion }) => ledgerVersion < range) ?? snapshots[0];
  const message = `there is no sealed snapshot of ledger version ${range}; the nearest is ${near?.ledgerVersion}.`;
  throw new ExchangeError("MOVEDEX_EXPORT_NOTHING", message, { facts: { version: range } });
}

function chooseOne(session: ExportSession, range: ExportRange | undefined): SealedSnapshot {
  if (range === "all") throw new ConfigError("modules and typings come from one snapshot. Give --at latest or a ledger version.");
  return choose(session, range ?? "latest")[0] as SealedSnapshot;
}

/** Says what was written. */
async function report(io: Io, directory: string, { manifest, files, removed }: Written, json: boolean | undefined): Promise<ExitName> {
  const sum = (key: "rows" | "bytes"): number => files.reduce((total, file) => total + (file[key] ?? 0), 0);
  const isNew = files.length > 0;
  const summary = {
    directory,
    part: isNew ? manifest.part : null,
    content: isNew ? manifest.content : null,
    snapshots: isNew ? manifest.snapshots.length : 0,
    files: files.length,
    rows: sum("rows"),
    bytes: sum("bytes"),
  };
  if (json) await io.stdout(jsonLine(exportResult.print(summary)));
  else if (!isNew) {
    const rest = removed === 0 ? "nothing was written" : `${plural(removed, "file")} removed that this export does not have`;
    await io.stdout(`\`${printable(directory)}\` holds everything already; ${rest}.\n`);
  } else {
    const rows = summary.rows === 0 ? "" : ` with ${plural(summary.rows, "row")}`;
    await io.stdout(
      `wrote part 1: ${plural(summary.files, "file")}${rows}, ${grouped(summary.bytes)} bytes, of ${plural(summary.snapshots, "snapshot")}; see ${manifestName(1)}\n`,
    );
  }
  return "done";
}
