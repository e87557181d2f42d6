import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { printable } from "../../base/printable.ts";
import { contentOf, type StoredContent } from "../../db/archive/content/stored-content.ts";
import { ConfigError } from "../../errors.ts";
import { readBytecodeVersion } from "../../move/module/self-id.ts";

/** A module has at most some hundred KiB; what is larger than this many bytes is another kind of file. */
export const FILE_SIZE_MAX = 16 * 1024 * 1024;

/** Whether a person who wrote this means a file with bytecode: it ends in `.mv`, which no account and no module does. */
export function isModuleFile(text: string): boolean {
  return text.endsWith(".mv");
}

/** The module files in a folder, by their names. */
export function moduleFilesIn(folder: string): string[] {
  const names = readdirSync(folder).filter(isModuleFile).sort();
  return names.map((name) => join(folder, name));
}

/** What is said of a folder without a module file: that some lie below it, by accounts, as `export --format mv` writes them. */
export function lacksModuleFiles(folder: string): string {
  const [below] = globSync(["*/*.mv", "*/*/*.mv"], { cwd: folder }).sort();
  return `\`${printable(folder)}\` holds no .mv file${below === undefined ? "" : `, but \`${printable(join(folder, dirname(below)))}\` does`}`;
}

/** The bytes of a file that may be a module. @throws ConfigError that says what else it is; Error of the file system */
export function readModuleBytes(file: string): Uint8Array {
  const status = statSync(file, { throwIfNoEntry: false });
  if (status === undefined) throw new ConfigError(`no such file: ${printable(file)}`);
  if (status.isDirectory()) throw new ConfigError("it is a directory; name the files in it");
  if (!status.isFile()) throw new ConfigError("it is not a regular file");
  if (status.size > FILE_SIZE_MAX) throw new ConfigError(`it has ${status.size} bytes, and no module has more than ${FILE_SIZE_MAX}`);
  return readFileSync(file);
}

/** A file's module as if it were stored. @throws ConfigError when the file cannot be read */
export function readModuleFile(file: string): StoredContent {
  let bytes: Uint8Array;
  try {
    bytes = readModuleBytes(file);
  } catch (error) {
    throw new ConfigError(`could not read the module file \`${printable(file)}\`: ${printable((error as Error).message)}.`, {
      facts: { file },
      cause: error,
    });
  }
  return contentOf(bytes, readBytecodeVersion(bytes) ?? null, null);
}
