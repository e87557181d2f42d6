import { existsSync, statSync } from "node:fs";
import { isSameFile } from "../../core/base/files.ts";
import { chunks } from "../../core/base/lists.ts";
import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { all, either, object, orNull, sha256, text, whole } from "../../core/base/result.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import { databasePath } from "../../core/cli/config.ts";
import { followSeal } from "../../core/cli/hooks.ts";
import { type Io, openLog } from "../../core/cli/io.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { withStore } from "../../core/cli/store-access.ts";
import { bytecodeQueries } from "../../core/db/archive/content/bytecodes.ts";
import { derivationQueries } from "../../core/db/archive/content/derive.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { isAddress } from "../../core/db/engine/place.ts";
import { ConfigError } from "../../core/errors.ts";
import { listModuleFiles, readModuleFile } from "../decode/read-modules.ts";
import { storeAlone } from "./bytecodes.ts";
import { digestOf, openForeignArchive } from "./foreign-archive.ts";
import { type ImportResult, importArchive } from "./replay.ts";
import { addSource } from "./sources.ts";

export const archiveResult = object({
  ...all(text, "path", "kind"),
  chain_id: orNull(whole),
  digest: orNull(sha256),
  ...all(whole, "snapshots", "new_snapshots", "accounts", "new_answers", "new_bytecodes", "findings", "left_out"),
});

export const modulesResult = object({ ...all(text, "path", "kind"), ...all(whole, "files", "new_bytecodes", "skipped") });

export const importResult = either<unknown>([archiveResult, modulesResult]);

export type ImportFlags = { readonly db: string; readonly except?: readonly bigint[]; readonly json?: boolean };

export async function runImport(io: Io, path: string, flags: ImportFlags): Promise<void> {
  if (isAddress(path)) return importDatabase(io, databasePath(path, io.env), flags);
  const fail = (text: string) => new ConfigError(text, { facts: { path } });
  if (!existsSync(path)) throw fail(`there is no \`${printable(path)}\` to import.`);
  const isFolder = statSync(path).isDirectory();
  if (!isFolder && !path.endsWith(".mv")) return importDatabase(io, path, flags);
  const files = isFolder ? listModuleFiles(path) : [path];
  if (files.length === 0) throw notAnArchive(path);
  if (flags.except !== undefined) throw new ConfigError("--except works on a database only.");
  // Asked before the database is opened, which would make a new one for nothing.
  if (files.every((file) => readModuleFile(file) === undefined)) {
    const what = isFolder ? `none of the .mv files in \`${printable(path)}\` is` : `\`${printable(path)}\` is not`;
    throw fail(`${what} a module's bytecode: there is nothing to import.`);
  }
  await importModuleFiles(io, path, files, flags);
}

async function importDatabase(io: Io, path: string, { db: database, except = [], json = false }: ImportFlags): Promise<void> {
  const areFiles = !isAddress(path) && !isAddress(database);
  if (path === database || (areFiles && isSameFile(path, database))) throw new ConfigError("a database cannot be imported into itself.");
  if (!(await databaseAt(path).isDatabase())) throw notAnArchive(path);
  await using archive = await openForeignArchive(path);
  const { chainId } = archive;
  const missing = except.find((excepted) => archive.snapshots.every(({ version }) => version !== excepted));
  if (missing !== undefined)
    throw new ConfigError(`\`${printable(path)}\` has no sealed snapshot of ledger version ${missing} to leave out.`, { facts: { path } });
  const snapshots = archive.snapshots.filter(({ version }) => !except.includes(version));
  if (chainId === null || snapshots.length === 0)
    throw new ConfigError(`\`${printable(path)}\` holds no sealed snapshot: there is nothing to import.`, { facts: { path } });
  const result = await withStore(io, database, "write", async (engine) => {
    const imported = await importArchive(engine, { ...archive, snapshots, chainId }, io.clock.now());
    await derivationQueries(engine).derive();
    await followSeal(io, { engine, path: database, log: openLog(io) });
    return imported;
  });
  const facts = { path, kind: "database", chainId, digest: digestOf(snapshots) };
  await io.stdout(json ? jsonLine(archiveResult.print({ ...facts, ...result })) : `${describe(path, result)}\n`);
}

function notAnArchive(path: string): ConfigError {
  return new ConfigError(
    `\`${printable(path)}\` is not an archive. Name a movedex database, a folder with .mv files, or one .mv file. ` +
      "For a list of accounts use `movedex targets import`, for a backup in .zst `movedex restore`. Exports of tables are for movedex 0.1.0 alone.",
    { facts: { path } },
  );
}

/** Files that are in memory at a time. */
const FILES_AT_ONCE = 250;

async function importModuleFiles(io: Io, path: string, files: readonly string[], { db, json = false }: ImportFlags): Promise<void> {
  const { newBytecodes, skipped } = await withStore(io, db, "write", async (engine) => {
    const bytecodes = bytecodeQueries(engine);
    const stored = await engine.transaction(async (tx) => {
      const [skipped, digests] = [[] as string[], [] as string[]];
      let newBytecodes = 0;
      for (const some of chunks(files, FILES_AT_ONCE)) {
        const read = some.map((file) => ({ file, content: readModuleFile(file) }));
        const contents = read.flatMap(({ content }) => content ?? []);
        skipped.push(...read.flatMap(({ file, content }) => (content === undefined ? [file] : [])));
        digests.push(...contents.map(({ code }) => sha256Hex(code)));
        newBytecodes += await storeAlone(tx, bytecodes, contents);
      }
      const digest = sha256Hex(digests.toSorted().join("\n"));
      await addSource(tx, { kind: "modules", name: path, digest }, io.clock.now());
      return { newBytecodes, skipped };
    });
    await derivationQueries(engine).derive();
    return stored;
  });
  const summary = { path, kind: "modules", files: files.length, newBytecodes, skipped: skipped.length };
  const text = `read ${plural(files.length, "file")}: ${plural(newBytecodes, "new bytecode")}`;
  await io.stdout(json ? jsonLine(modulesResult.print(summary)) : `${text}\n`);
  for (const file of skipped.slice(0, 10)) io.stderr(`movedex: \`${printable(file)}\` is not a module's bytecode; skipped\n`);
}

function describe(path: string, { snapshots, newSnapshots, newAnswers, newBytecodes, findings, leftOut }: ImportResult): string {
  const added =
    newAnswers === 0
      ? "nothing new: all of it was held already"
      : `${plural(newAnswers, "answer")} and ${plural(newBytecodes, "bytecode")} not held before`;
  const lines = [`imported \`${printable(path)}\`: ${plural(snapshots, "snapshot")}, ${newSnapshots} of them new; ${added}`];
  if (findings > 0) lines.push(`${plural(findings, "contradiction")} with what is stored, which stays; see the view \`findings\``);
  if (leftOut > 0) lines.push(`left out ${plural(leftOut, "damaged time or trace", "damaged times and traces")}`);
  return lines.join("\n");
}
