import { existsSync, statSync } from "node:fs";
import { openExportDoor } from "../../../archive/copy/exporting.ts";
import type { ImportRequest, ImportResult } from "../../../archive/merge/importing.ts";
import { formatHex } from "../../../base/hex.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { sha256, sha256Hex } from "../../../base/sha256.ts";
import { databasePath } from "../../../config.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import { isAddress, isSamePlace } from "../../../engine/place.ts";
import { ConfigError } from "../../../errors.ts";
import { ExchangeError } from "../../../exchange/exchange-error.ts";
import { readExportDirectory } from "../../../exchange/export-directory.ts";
import { openExport } from "../../../exchange/incoming/read-export.ts";
import { moduleFormats } from "../../../exchange/modules/export-modules.ts";
import { type DerivedContent, listModuleFiles, readModuleFile } from "../../../exchange/modules/read-modules.ts";
import { archiveTableList } from "../../../exchange/tables/table.ts";
import type { Io } from "../../io.ts";
import { withStore } from "../../jobs/change-beside-runs.ts";
import { jsonLine } from "../../output/json-line.ts";
import { archiveResult, modulesResult } from "./result.ts";

type ArchiveSource = { readonly chainId: number; readonly kind: "database" | "export"; readonly digest: string };

export type ImportFlags = { readonly db: string; readonly except?: readonly bigint[]; readonly json?: boolean };

export async function runImport(io: Io, path: string, { db: database, except = [], json = false }: ImportFlags): Promise<void> {
  if (isAddress(path)) return importArchive(io, databasePath(path, io.env), database, except, json);
  if (!existsSync(path)) throw new ConfigError(`there is no \`${printable(path)}\` to import.`, { facts: { path } });
  const modules = moduleFilesAt(path);
  if (except.length > 0 && (modules !== undefined || statSync(path).isDirectory()))
    throw new ConfigError("--except works on a database only. To leave snapshots out of an export, write it with `movedex export --at`.");
  if (modules !== undefined) await importModuleFiles(io, path, modules, database, json);
  else await importArchive(io, path, database, except, json);
}

/** The bytecode files at a path; undefined when it is something else: a database, or an export. */
function moduleFilesAt(path: string): readonly string[] | undefined {
  if (!statSync(path).isDirectory()) return path.endsWith(".mv") ? [path] : undefined;
  const files = listModuleFiles(path);
  return files.length > 0 && !holdsTables(path) ? files : undefined;
}

/** Whether an export has more than modules in files of their own. */
function holdsTables(path: string): boolean {
  try {
    return readExportDirectory(path).manifests.some(({ content }) => !(content in moduleFormats));
  } catch {
    return false;
  }
}

async function importArchive(io: Io, path: string, database: string, except: readonly bigint[], json: boolean): Promise<void> {
  if (isSamePlace(path, database)) throw new ConfigError("a database cannot be imported into itself.");
  const isDirectory = !isAddress(path) && statSync(path).isDirectory();
  await using opened = new AsyncDisposableStack();
  const { rows, ...source } = isDirectory ? await openExportSource(path) : await openDatabaseSource(path, except, opened);
  const result = await withStore(io, database, "write", async (store) => {
    const merged = await store.importArchive({ ...source, name: path, rows, now: io.clock.now() });
    await store.derive();
    await store.judgeChanges();
    return merged;
  });
  const { chainId, kind, digest } = source;
  await io.stdout(json ? jsonLine(archiveResult.print({ path, kind, chainId, digest, ...result })) : `${describe(path, result)}\n`);
}

async function openExportSource(path: string): Promise<ArchiveSource & Pick<ImportRequest, "rows">> {
  const { chainId, digest, rows } = await openExport(path).catch((error: unknown) => {
    // Its advice is for whoever writes an export.
    throw error instanceof ExchangeError && error.code === "MOVEDEX_EXPORT_DIRECTORY" ? notAnArchive(path) : error;
  });
  return { chainId, kind: "export", digest, rows };
}

/** A database to import, without some of its snapshots. `opened` closes it. */
async function openDatabaseSource(
  path: string,
  except: readonly bigint[],
  opened: AsyncDisposableStack,
): Promise<ArchiveSource & Pick<ImportRequest, "rows">> {
  if (!(await databaseAt(path).isDatabase())) throw notAnArchive(path);
  const door = opened.use(await openExportDoor(path, true));
  const { chainId } = door;
  const missing = except.find((version) => door.snapshots.every(({ ledgerVersion }) => ledgerVersion !== version));
  if (missing !== undefined)
    throw new ConfigError(`\`${printable(path)}\` has no sealed snapshot of ledger version ${missing} to leave out.`, { facts: { path } });
  const snapshots = door.snapshots.filter(({ ledgerVersion }) => !except.includes(ledgerVersion));
  if (chainId === null || snapshots.length === 0)
    throw new ConfigError(`\`${printable(path)}\` holds no sealed snapshot: there is nothing to import.`, { facts: { path } });
  const versions = snapshots.map(({ ledgerVersion }) => ledgerVersion);
  const lines = snapshots.map(({ ledgerVersion, accounts, gaps, digest }) => `${ledgerVersion} ${accounts} ${gaps} ${digest}\n`);
  return {
    chainId,
    kind: "database",
    digest: sha256Hex(lines.join("")),
    rows: async function* () {
      for (const { name } of archiveTableList) yield { part: 0, table: name, rows: door.archiveRows(name, versions, []) };
    },
  };
}

function notAnArchive(path: string): ConfigError {
  const shown = printable(path);
  return new ConfigError(
    `\`${shown}\` is not an archive. Name a movedex database, an export directory, a folder with .mv files, or one .mv file. ` +
      "For a list of accounts use `movedex targets import`, for a backup in .zst `movedex restore`.",
    { facts: { path } },
  );
}

function noModule(path: string, files: number): ConfigError {
  const shown = printable(path);
  const what = path.endsWith(".mv") && files === 1 ? `\`${shown}\` is not` : `none of the .mv files in \`${shown}\` is`;
  return new ConfigError(`${what} a module's bytecode: there is nothing to import.`, { facts: { path } });
}

async function importModuleFiles(io: Io, path: string, files: readonly string[], database: string, json: boolean): Promise<void> {
  // Asked before the database is opened, which would make a new one for nothing.
  if (files.every((file) => readModuleFile(file) === undefined)) throw noModule(path, files.length);
  const skipped: string[] = [];
  const digests: string[] = [];
  function* contents(): Generator<DerivedContent> {
    skipped.length = 0;
    digests.length = 0;
    for (const file of files) {
      const content = readModuleFile(file);
      if (content === undefined) skipped.push(file);
      else {
        digests.push(formatHex(sha256(content.code)));
        yield content;
      }
    }
  }
  const added = await withStore(io, database, "write", async (store) => {
    const source = { name: path, modules: contents, digest: () => sha256Hex(digests.toSorted().join("\n")) };
    const count = await store.importModules(source, io.clock.now());
    await store.derive();
    return count;
  });
  const summary = { path, kind: "modules", files: files.length, newBytecodes: added, skipped: skipped.length };
  const text = `read ${plural(files.length, "file")}: ${plural(added, "new bytecode")}`;
  await io.stdout(json ? jsonLine(modulesResult.print(summary)) : `${text}\n`);
  for (const file of skipped.slice(0, 10)) io.stderr(`movedex: \`${printable(file)}\` is not a module's bytecode; skipped\n`);
}

function describe(path: string, { snapshots, newSnapshots, newAnswers, newBytecodes, findings }: ImportResult): string {
  const added =
    newAnswers === 0
      ? "nothing new: all of it was held already"
      : `${plural(newAnswers, "answer")} and ${plural(newBytecodes, "bytecode")} not held before`;
  const lines = [`imported \`${printable(path)}\`: ${plural(snapshots, "snapshot")}, ${newSnapshots} of them new; ${added}`];
  if (findings > 0) lines.push(`${plural(findings, "contradiction")} with what is stored, which stays; see the view \`findings\``);
  return lines.join("\n");
}
