import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readSelfId } from "../../move/module/self-id.ts";
import { type DerivedContent, deriveContent } from "./derive-content.ts";

/** Largest file that is read as a module, in bytes. Real modules have at most a few hundred KiB. */
const FILE_SIZE_MAX = 16 * 1024 * 1024;

/** All `.mv` files in a directory and its subdirectories, sorted by path. Links are not followed. */
export function listModuleFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".mv"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Reads one bytecode file; undefined if its bytes do not name a module. */
export function readModuleFile(path: string): DerivedContent | undefined {
  if (statSync(path).size > FILE_SIZE_MAX) return undefined;
  const code = new Uint8Array(readFileSync(path));
  return readSelfId(code) === undefined ? undefined : deriveContent(code, null);
}
