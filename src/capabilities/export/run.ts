import type { Command } from "commander";
import { packageVersion } from "../../core/base/files.ts";
import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { all, either, object, orNull, text, whole } from "../../core/base/result.ts";
import type { Io } from "../../core/cli/io.ts";
import { rowsToCome } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { ConfigError } from "../../core/errors.ts";
import type { ExitName } from "../../core/exit-codes.ts";
import { exportTypings, fewNames, requireChain, type TypingsFlags, typingsResult } from "../typings/export-typings.ts";
import { type ExportDirectory, openExportDirectory, type Written } from "./export-directory.ts";
import { exportModules, type ModuleFormat } from "./export-modules.ts";
import { type ExportDoor, type ExportedModule, openExportDoor, type SealedSnapshot } from "./exporting.ts";
import { ExchangeError, manifestName } from "./manifest.ts";
import { exportTables, snapshotsToExport } from "./tables/export-tables.ts";
import type { TableFormat } from "./tables/row-writer.ts";
import { isOfStates, tablesOf } from "./tables/table.ts";

export const exportResult = object({
  directory: text,
  part: orNull(whole),
  content: orNull(text),
  ...all(whole, "snapshots", "files", "rows", "bytes"),
});

export const exportResults = either<unknown>([exportResult, typingsResult]);

/** Which formats take an option; all take the others. */
const takers: Readonly<Record<string, readonly string[]>> = {
  partition: ["parquet", "csv", "jsonl"],
  account: ["abi-json", "mv", "ts"],
  module: ["abi-json", "mv", "ts"],
  u64: ["ts"],
};

/**
 * The options that the format takes. Others are refused where the command line gives them; a settings file gives them to exports in
 * every format, so from there they are left out.
 */
export function takenOptions<Flags extends { readonly format: string }>(command: Command, flags: Flags): Flags {
  const isTaken = (name: string): boolean => takers[name]?.includes(flags.format) ?? true;
  const refused = Object.keys(takers).find((name) => !isTaken(name) && command.getOptionValueSource(name) === "cli");
  if (refused !== undefined) {
    throw new ConfigError(
      `--format ${flags.format} does not take --${refused}; these formats do: ${takers[refused]?.join(", ")}. Leave it out, or choose one of them.`,
    );
  }
  return Object.fromEntries(Object.entries(flags).filter(([name]) => isTaken(name))) as Flags;
}

export type ExportRange = "all" | "latest" | bigint;

export type ExportFlags = TypingsFlags & {
  readonly format: "parquet" | "csv" | "jsonl" | "abi-json" | "mv" | "ts";
  readonly at?: ExportRange;
  readonly partition?: boolean;
  readonly db: string;
};

export async function runExport(io: Io, directory: string, given: ExportFlags, command: Command): Promise<ExitName> {
  const flags = takenOptions(command, given);
  await using door = await openExportDoor(flags.db);
  switch (flags.format) {
    case "ts":
      return await exportTypings(io, directory, door, chooseOne(door, flags.at), flags);
    case "mv":
    case "abi-json":
      return await writeModules(io, directory, door, flags.format, flags);
    default:
      return await writeTables(io, directory, door, flags.format, flags);
  }
}

async function writeTables(
  io: Io,
  directory: string,
  door: ExportDoor,
  format: TableFormat,
  { partition: isPartitioned = false, at, json }: ExportFlags,
): Promise<ExitName> {
  const target = openExportDirectory(directory);
  requireChain(target.manifests, door, directory);
  // Rows of each snapshot where these are asked for, or where the directory has such.
  const isHeld = target.manifests.some(({ files }) => files.some((file) => file.table !== null && isOfStates(file.table)));
  const written = { format, tables: tablesOf(at !== undefined || isPartitioned || isHeld), isPartitioned };
  const snapshots = snapshotsToExport(target, written, door.snapshots, choose(door, at ?? "all"));
  const done = await exportTables(target, door, {
    ...written,
    chainId: door.chainId as number,
    snapshots,
    movedexVersion: packageVersion(),
    onRows: (table, rows) => {
      io.statusLine(`${table}: ${plural(rows, "row")}`);
    },
  });
  io.statusLine(undefined);
  io.stderr(rowsToCome(await door.underived()) ?? "");
  return report(io, directory, done, json);
}

async function writeModules(io: Io, directory: string, door: ExportDoor, format: ModuleFormat, flags: ExportFlags): Promise<ExitName> {
  const snapshot = chooseOne(door, flags.at);
  const target = openExportDirectory(directory);
  requireChain(target.manifests, door, directory);
  requireModules(target, format);
  const wanted = wantedModules(door.modules(snapshot.ledgerVersion), flags);
  const request = { format, chainId: door.chainId as number, snapshot, movedexVersion: packageVersion() };
  const { written, undecoded } = await exportModules(target, wanted, request);
  if (undecoded.length > 0) {
    io.stderr(`movedex: ${plural(undecoded.length, "module")} without an ABI, not written: ${fewNames(undecoded)}\n`);
  }
  return report(io, directory, written, flags.json);
}

function requireModules({ path, manifests }: ExportDirectory, format: ModuleFormat): void {
  const other = manifests.find(({ content }) => content !== format)?.content;
  if (other === undefined) return;
  throw new ExchangeError("MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` holds an export as ${other}. Name a new or empty directory.`);
}

async function* wantedModules(
  modules: AsyncIterable<ExportedModule>,
  { account, module }: Pick<ExportFlags, "account" | "module">,
): AsyncGenerator<ExportedModule> {
  const isAll = account === undefined && module === undefined;
  for await (const stored of modules) {
    if (isAll || account?.includes(stored.address) || module?.includes(`${stored.address}::${stored.name}`)) yield stored;
  }
}

function choose(door: ExportDoor, range: ExportRange): readonly SealedSnapshot[] {
  const { snapshots } = door;
  if (snapshots.length === 0 || door.chainId === null) {
    throw new ExchangeError("MOVEDEX_EXPORT_NOTHING", `\`${door.path}\` holds no sealed snapshot yet. \`movedex sync\` makes one.`, {
      facts: { path: door.path },
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

function chooseOne(door: ExportDoor, range: ExportRange | undefined): SealedSnapshot {
  if (range === "all") throw new ConfigError("modules and typings come from one snapshot. Give --at latest or a ledger version.");
  return choose(door, range ?? "latest")[0] as SealedSnapshot;
}

/** Says what was written. */
async function report(io: Io, directory: string, { manifest, files }: Written, json: boolean | undefined): Promise<ExitName> {
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
  else if (!isNew) await io.stdout(`\`${printable(directory)}\` holds everything already; nothing was written.\n`);
  else {
    const rows = summary.rows === 0 ? "" : ` with ${plural(summary.rows, "row")}`;
    await io.stdout(
      `wrote part 1: ${plural(summary.files, "file")}${rows}, ${summary.bytes.toLocaleString("en-US")} bytes, of ${plural(summary.snapshots, "snapshot")}; see ${manifestName(1)}\n`,
    );
  }
  return "done";
}
