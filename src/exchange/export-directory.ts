import { existsSync, lstatSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../base/sha256.ts";
import { attempt, finishPublishing, isHalfPublished, removeDrafts } from "./drafts.ts";
import {
  currentParts,
  type ExchangeError,
  type Manifest,
  manifestName,
  manifestPart,
  parseManifest,
  partName,
  pathError,
} from "./manifest.ts";

/** An export directory: parts, each with a manifest that names the one before it. */
export type ExportDirectory = {
  readonly path: string;
  /** In the order of parts. */
  readonly manifests: readonly Manifest[];
  /** SHA-256 of the last manifest, 64 hex digits; null if there is none. */
  readonly latest: string | null;
};

/** What movedex writes, and what a killed export leaves. Names that begin with a dot are those of the builds before 0.2.0. */
const OWN = /^(?:part-\d{6}|manifest-\d{6}\.json(?:\.tmp)?|(?:new|complete)\.tmp|\.part-\d{6}|\.manifest-\d{6}\.json)$/;

/**
 * Reads the manifests of an export directory, not the files of its parts. A missing directory is an empty one.
 * @throws ExchangeError `MOVEDEX_EXPORT_DIRECTORY` if it contains other files, `MOVEDEX_IMPORT_DAMAGED` if the manifests are not a chain
 */
function readExportDirectory(path: string): ExportDirectory {
  const names = listNames(path);
  const manifests: Manifest[] = [];
  let latest: string | null = null;
  const parts = names.map(manifestPart).filter((part) => part !== undefined);
  for (const part of parts.sort((a, b) => a - b)) {
    const file = join(path, manifestName(part));
    const bytes = readFileSync(file);
    const manifest = parseManifest(bytes.toString("utf8"), file);
    if (part !== manifests.length + 1 || manifest.part !== part || manifest.previous !== latest) {
      const text = `\`${file}\` does not follow the manifest before it: a part is missing or was changed. Nothing was exported.`;
      throw pathError(file, "MOVEDEX_IMPORT_DAMAGED", text);
    }
    manifests.push(manifest);
    latest = sha256Hex(bytes);
  }
  return { path, manifests, latest };
}

/**
 * Opens a directory for an export into it. What a killed one left is put in its place if that one had written everything, else
 * removed. @throws ExchangeError as `readExportDirectory`, `MOVEDEX_EXPORT_WRITE`
 */
export function openExportDirectory(path: string): ExportDirectory {
  listNames(path);
  if (isHalfPublished(path)) finishPublishing(path);
  const directory = readExportDirectory(path);
  removeLeftovers(directory);
  return directory;
}

/** Removes drafts, parts that later ones replace, and what a killed export of an earlier build left: its next part has no manifest. */
function removeLeftovers({ path, manifests }: ExportDirectory): void {
  const current = new Set(currentParts(manifests).map(({ part }) => partName(part)));
  const names = listNames(path).filter((name) => !current.has(name));
  const earlier = new Set(Array.from({ length: manifests.length + 1 }, (_, i) => partName(i + 1)));
  for (const name of names) if (name.startsWith("part-") && !earlier.has(name)) throw strange(path, name);
  attempt(path, () => {
    removeDrafts(path);
    for (const name of names) if (/^part-|^\./.test(name)) rmSync(join(path, name), { recursive: true, force: true });
  });
}

function listNames(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!lstatSync(path).isDirectory())
    throw pathError(path, "MOVEDEX_EXPORT_DIRECTORY", `\`${path}\` is a file; an export is a directory. Name a new or empty directory.`);
  const names = readdirSync(path);
  const stranger = names.find((name) => !OWN.test(name));
  if (stranger !== undefined) throw strange(path, stranger);
  return names;
}

function strange(path: string, name: string): ExchangeError {
  const text = `\`${path}\` holds \`${name}\`, which is not part of an export. Name a new or empty directory.`;
  return pathError(path, "MOVEDEX_EXPORT_DIRECTORY", text, { stranger: name });
}
