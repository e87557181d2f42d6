import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { readSelfId } from "../../move/module/self-id.ts";
import { type DerivedContent, deriveContent } from "./derive-content.ts";

/** A module has at most some hundred KiB; what is larger than this many bytes is another kind of file. */
const FILE_SIZE_MAX = 16 * 1024 * 1024;

/** The `.mv` files below a directory, sorted by path. Links are not followed. */
export function listModuleFiles(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".mv"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** One bytecode file; undefined when it is not a module's: what its bytes do not name is not taken in. */
export function readModuleFile(path: string): DerivedContent | undefined {
  if (statSync(path).size > FILE_SIZE_MAX) return undefined;
  const code = new Uint8Array(readFileSync(path));
  return readSelfId(code) === undefined ? undefined : deriveContent(code, null);
}
