import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileName } from "../../../core/base/file-name.ts";
import { writeWhole } from "../../../core/base/files.ts";
import { printable } from "../../../core/base/printable.ts";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { readModuleFile } from "../../../core/cli/options/module-file.ts";
import { fileFault } from "../../../core/cli/options/text-file.ts";
import { ConfigError } from "../../../core/errors.ts";
import { moduleNamed } from "../../../core/move/module-id.ts";
import { loadContent, type Side } from "../../changes/compare/sides.ts";
import { type Modules, wholeModules } from "../sources.ts";
import { formatLock, type Lock, parseLock } from "./lock-file.ts";

const ADVICE = "Check the path and its permissions.";

/** @throws ConfigError for a file that is not there, cannot be read, or is no lock */
export function readLock(path: string): Lock {
  if (!existsSync(path))
    throw new ConfigError(`there is no \`${printable(path)}\`. \`movedex lock build/MyPackage\` writes it.`, { facts: { path } });
  try {
    return parseLock(readFileSync(path, "utf8"), path);
  } catch (error) {
    throw error instanceof ConfigError ? error : fileFault("read", "lock", path, error, ADVICE);
  }
}

export function writeLock(path: string, lock: Lock): void {
  try {
    writeWhole(path, formatLock(lock));
  } catch (error) {
    throw fileFault("write", "lock", path, error, ADVICE);
  }
}

function vendoredPath(directory: string, id: string): string {
  const { address, name } = moduleNamed(id);
  return join(directory, address, `${fileName(name)}.mv`);
}

/** The locked bytecode in a directory: what is there and is not what was locked counts as not held. */
export function vendoredIn(directory: string): Side["load"] {
  return async () =>
    ({ address, name, sha256 }) => {
      const path = vendoredPath(directory, `${address}::${name}`);
      if (!existsSync(path)) return { unreadable: `\`${printable(path)}\` is not there` };
      const content = readModuleFile(path);
      return sha256Hex(content.bytes) === sha256
        ? loadContent(content, sha256)
        : { unreadable: `\`${printable(path)}\` is not what was locked` };
    };
}

/** Writes the locked bytecode, and takes away that of modules that are locked no longer. */
export async function vendor(directory: string, before: Lock | undefined, lock: Lock, modules: Modules): Promise<void> {
  const read = wholeModules(modules);
  for (const id of before?.modules.keys() ?? []) if (!lock.modules.has(id)) rmSync(vendoredPath(directory, id), { force: true });
  for (const id of lock.modules.keys()) {
    const path = vendoredPath(directory, id);
    const bytes = (await read(id))?.bytes ?? new Uint8Array();
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    } catch (error) {
      throw fileFault("write", "bytecode", path, error, ADVICE);
    }
  }
}
