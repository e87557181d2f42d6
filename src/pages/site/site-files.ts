import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { writeWhole } from "../../base/files/durable-file.ts";
import { makeDirectory } from "../../base/files/make-directory.ts";
import { printable } from "../../base/printable.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { type Lock, takeLock } from "../../engine/sqlite/lock.ts";
import { ExchangeError } from "../../exchange/exchange-error.ts";
import { attempt } from "../../exchange/hashed-file.ts";
import { unitOfFile } from "./site-links.ts";

/** A file of the site: where it lies, the SHA-256 of its content, and whether that was written anew. */
export type MadeFile = { readonly file: string; readonly sha256: string; readonly bytes: number; readonly isNew: boolean };

/** Says that a directory is a site, of which chain. */
type Marker = { readonly format: "movedex-site"; readonly schema_version: 1; readonly chain_id: number | null };

const [MARKER, MANIFEST, STAGING, LOCK, INPUTS] = ["site.json", "manifest.sha256", ".staging", ".lock", ".inputs"];
/** Folders whose files are all the site's own: what is not made any more is deleted there, and nowhere else. */
const OWN = ["account", "changes", "diff", "module", "search", "static"] as const;
/** Pages that lead to all others: they are put in place when what they lead to is there. */
const LAST = /^[^/]+$|^search\/keys\.json$/;

/**
 * Makes a directory ready for a site of a chain.
 *
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` when it holds other files, or a site of another chain
 */
export function openSite(directory: string, chainId: number | null): void {
  const refuse = (why: string): never => {
    const message = `\`${printable(directory)}\` ${why}. Name a new or empty directory.`;
    throw new ExchangeError("MOVEDEX_EXPORT_DIRECTORY", message, { facts: { path: directory } });
  };
  if (!existsSync(directory)) return;
  if (!lstatSync(directory).isDirectory()) refuse("is no directory");
  const marker = readMarker(directory);
  if (marker === undefined && readdirSync(directory).some((name) => !name.startsWith(LOCK)))
    refuse("holds other files and was not made by `movedex site`");
  if (marker !== undefined && marker.chain_id !== chainId)
    refuse(`holds the site of chain ${marker.chain_id}, and the database is of chain ${chainId}`);
}

/**
 * Begins to write: from here on the directory is a site, and this process's until the lock is released. What a killed run had not put in
 * place is deleted. @throws StoreError `MOVEDEX_STORE_LOCKED` while another process writes there
 */
export function beginSite(directory: string, chainId: number | null, now: number): Lock {
  const marker: Marker = { format: "movedex-site", schema_version: 1, chain_id: chainId };
  attempt(directory, () => makeDirectory(directory));
  const lock = takeLock(directory, now, "site");
  attempt(directory, () => {
    rmSync(join(directory, STAGING), { recursive: true, force: true });
    if (readMarker(directory) === undefined) writeWhole(join(directory, MARKER), `${JSON.stringify(marker)}\n`);
  });
  return lock;
}

function readMarker(directory: string): Marker | undefined {
  try {
    const marker = JSON.parse(readFileSync(join(directory, MARKER), "utf8")) as Partial<Marker> | null;
    return marker?.format === "movedex-site" ? (marker as Marker) : undefined;
  } catch {
    return undefined;
  }
}

/** Takes a file of a site. */
export type PutFile = (file: string, body: Uint8Array) => MadeFile;

/** Keeps files as they are where they have this content, else lays them ready: nothing that is served changes until `publishSite`. */
export function stageFiles(directory: string): PutFile {
  return (file, body) => {
    const made = { file, sha256: sha256Hex(body), bytes: body.length };
    // The file itself says so: the manifest has a line for every file of the site, and each thread would keep them all.
    if (holds(join(directory, file), body)) return { ...made, isNew: false };
    const path = join(directory, STAGING, file);
    attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, body);
    });
    return { ...made, isNew: true };
  };
}

/** What units are made of, by their names (`site-inputs.ts`). */
export type Inputs = ReadonlyMap<string, string>;

/** The files of each unit whose inputs have not changed since the directory was written, if all of them are still there. */
export function unchangedUnits(directory: string, inputs: Inputs): ReadonlyMap<string, readonly MadeFile[]> {
  const before = new Map<string, string>();
  for (const line of linesIn(directory, INPUTS)) before.set(line.slice(line.lastIndexOf(" ") + 1), line.slice(0, line.lastIndexOf(" ")));
  const files = new Map<string, MadeFile[]>();
  for (const line of linesIn(directory, MANIFEST)) {
    const [file, sha256] = [line.slice(66), line.slice(0, 64)];
    const unit = unitOfFile(file);
    const input = inputs.get(unit);
    if (input === undefined || !before.get(unit)?.startsWith(input)) continue;
    const own = files.get(unit) ?? [];
    if (own.length === 0) files.set(unit, own);
    own.push({ file, sha256, bytes: sizeOf(join(directory, file)) ?? 0, isNew: false });
  }
  return new Map([...files].filter(([unit, own]) => before.get(unit) === inputLine(inputs.get(unit), own)));
}

function inputLine(input: string | undefined, files: readonly MadeFile[]): string {
  return `${input} ${files.length} ${files.reduce((sum, { bytes }) => sum + bytes, 0)}`;
}

/** Notes what whole units are made of: those of which `isWhole` says so of every file. */
function writeInputs(directory: string, inputs: Inputs, files: readonly MadeFile[], isWhole: (file: MadeFile) => boolean): void {
  const lines: string[] = [];
  for (const [unit, own] of Map.groupBy(files, ({ file }) => unitOfFile(file)))
    if (inputs.has(unit) && own.every(isWhole)) lines.push(`${inputLine(inputs.get(unit), own)} ${unit}\n`);
  writeChanged(directory, INPUTS, lines.sort().join(""));
}

/**
 * Puts what was laid ready in its place, those that lead to others last, and deletes what the site no longer has. Returns how many were
 * deleted. Until all is in place the manifest has no line of what is moved, and no unit of it is noted: after a kill the next run takes
 * none of it for known.
 */
export function publishSite(directory: string, files: readonly MadeFile[], inputs: Inputs): number {
  const fresh = files.filter(({ isNew }) => isNew).map(({ file }) => file);
  if (fresh.length > 0) {
    const isKept = ({ isNew }: MadeFile): boolean => !isNew;
    writeInputs(directory, inputs, files, isKept);
    writeManifest(directory, files.filter(isKept));
  }
  for (const file of fresh.toSorted((a, b) => Number(LAST.test(a)) - Number(LAST.test(b)))) {
    const path = join(directory, file);
    attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true });
      renameSync(join(directory, STAGING, file), path);
    });
  }
  writeManifest(directory, files);
  writeInputs(directory, inputs, files, () => true);
  rmSync(join(directory, STAGING), { recursive: true, force: true });
  const wanted = new Set(files.map(({ file }) => file));
  return OWN.reduce((sum, folder) => sum + sweep(directory, folder, wanted), 0);
}

/** Deletes the files of a folder that are not wanted, and folders that are empty then. Links are not followed. */
function sweep(directory: string, folder: string, wanted: ReadonlySet<string>): number {
  const path = join(directory, folder);
  if (!existsSync(path)) return 0;
  let [deleted, left] = [0, 0];
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      deleted += sweep(directory, name, wanted);
      if (existsSync(join(directory, name))) left += 1;
    } else if (wanted.has(name)) left += 1;
    else {
      attempt(name, () => rmSync(join(directory, name)));
      deleted += 1;
    }
  }
  if (left === 0) rmdirSync(path);
  return deleted;
}

function writeManifest(directory: string, files: readonly MadeFile[]): void {
  const sorted = files.toSorted((a, b) => (a.file < b.file ? -1 : 1));
  writeChanged(directory, MANIFEST, sorted.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join(""));
}

function writeChanged(directory: string, name: string, text: string): void {
  if (text !== textIn(directory, name)) attempt(directory, () => writeWhole(join(directory, name), text));
}

function textIn(directory: string, name: string): string {
  try {
    return readFileSync(join(directory, name), "utf8");
  } catch {
    return "";
  }
}

function* linesIn(directory: string, name: string): Generator<string> {
  const text = textIn(directory, name);
  for (let begin = 0, end = text.indexOf("\n"); end >= 0; begin = end + 1, end = text.indexOf("\n", begin)) yield text.slice(begin, end);
}

/** Whether a file has just these bytes. */
function holds(path: string, body: Uint8Array): boolean {
  return sizeOf(path) === body.length && readFileSync(path).equals(body);
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
