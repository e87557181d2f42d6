import { existsSync, statSync } from "node:fs";
import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { all, either, object, orNull, sha256, text, whole } from "../../core/base/result.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { databasePath } from "../../core/cli/config.ts";
import { followSeal } from "../../core/cli/hooks.ts";
import { type Io, openLog } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { withStore } from "../../core/cli/store-access.ts";
import { derivationQueries } from "../../core/db/archive/content/derive.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { isAddress, isSamePlace } from "../../core/db/engine/place.ts";
import { ConfigError } from "../../core/errors.ts";
import { type DerivedContent, listModuleFiles, readModuleFile } from "../decode/read-modules.ts";
import { digestOf, openForeignArchive } from "./foreign-snapshots.ts";
import { type ImportResult, importQueries } from "./importing.ts";

export const archiveResult = object({
  ...all(text, "path", "kind"),
  chain_id: orNull(whole),
  digest: orNull(sha256),
  ...all(whole, "snapshots", "new_snapshots", "accounts", "new_answers", "new_bytecodes", "findings"),
});

export const modulesResult = object({ ...all(text, "path", "kind"), ...all(whole, "files", "new_bytecodes", "skipped") });

export const importResult = either<unknown>([archiveResult, modulesResult]);

export type ImportFlags = { readonly db: string; readonly except?: readonly bigint[]; readonly json?: boolean };

export async function runImport(io: Io, path: string, { db: database, except = [], json = false }: ImportFlags): Promise<void> {
  if (isAddress(path)) return importDatabase(io, databasePath(path, io.env), database, except, json);
  if (!existsSync(path)) throw new ConfigError(`there is no \`${printable(path)}\` to import.`, { facts: { path } });
  const modules = moduleFilesAt(path);
  if (except.length > 0 && modules !== undefined) throw new ConfigError("--except works on a database only.");
  if (modules !== undefined) await importModuleFiles(io, path, modules, database, json);
  else await importDatabase(io, path, database, except, json);
}

/** The bytecode files at a path; undefined for a database. @throws ConfigError for a directory without any */
function moduleFilesAt(path: string): readonly string[] | undefined {
  if (!statSync(path).isDirectory()) return path.endsWith(".mv") ? [path] : undefined;
  const files = listModuleFiles(path);
  if (files.length === 0) throw notAnArchive(path);
  return files;
}

async function importDatabase(io: Io, path: string, database: string, except: readonly bigint[], json: boolean): Promise<void> {
  if (isSamePlace(path, database)) throw new ConfigError("a database cannot be imported into itself.");
  if (!(await databaseAt(path).isDatabase())) throw notAnArchive(path);
  await using archive = await openForeignArchive(path);
  const { chainId, session } = archive;
  const missing = except.find((excepted) => archive.snapshots.every(({ version }) => version !== excepted));
  if (missing !== undefined)
    throw new ConfigError(`\`${printable(path)}\` has no sealed snapshot of ledger version ${missing} to leave out.`, { facts: { path } });
  const snapshots = archive.snapshots.filter(({ version }) => !except.includes(version));
  if (chainId === null || snapshots.length === 0)
    throw new ConfigError(`\`${printable(path)}\` holds no sealed snapshot: there is nothing to import.`, { facts: { path } });
  const result = await withStore(io, database, "write", async (engine) => {
    const imported = await importQueries(engine).importArchive({ path, session, chainId, snapshots, now: io.clock.now() });
    await derivationQueries(engine).derive();
    await followSeal(io, { engine, path: database, log: openLog(io) });
    return imported;
  });
  const facts = { path, kind: "database", chainId, digest: digestOf(snapshots) };
  await io.stdout(json ? jsonLine(archiveResult.print({ ...facts, ...result })) : `${describe(path, result)}\n`);
}

function notAnArchive(path: string): ConfigError {
  const shown = printable(path);
  return new ConfigError(
    `\`${shown}\` is not an archive. Name a movedex database, a folder with .mv files, or one .mv file. ` +
      "For a list of accounts use `movedex targets import`, for a backup in .zst `movedex restore`. Exports of tables are for movedex 0.1.0 alone.",
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
        digests.push(sha256Hex(content.code));
        yield content;
      }
    }
  }
  const added = await withStore(io, database, "write", async (engine) => {
    const source = { name: path, modules: contents, digest: () => sha256Hex(digests.toSorted().join("\n")) };
    const count = await importQueries(engine).importModules(source, io.clock.now());
    await derivationQueries(engine).derive();
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
