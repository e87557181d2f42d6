import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { decodeModule } from "../../abi/decode.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { parseNodeAbi } from "../../abi/node-json/parse.ts";
import { findJsonExcess } from "../../base/json.ts";
import { DecodeError, ifDecodable } from "../../move/decode-error.ts";
import { readBytecodeVersion, readSelfId } from "../../move/module/self-id.ts";
import { isSameModule } from "../../move/module-id.ts";

export type DerivedContent = { readonly code: Uint8Array; readonly bytecodeVersion: number | null; readonly nodeAbi?: ModuleAbi };

/**
 * Imported bytecode. Its ABI comes from the bytes; for those that cannot be decoded, a node's ABI (JSON) of the same module is accepted.
 */
export function deriveContent(code: Uint8Array, nodeAbi: string | null): DerivedContent {
  const content = { code, bytecodeVersion: readBytecodeVersion(code) ?? null };
  const reported = nodeAbi === null || ifDecodable(() => decodeModule(code)) !== undefined ? undefined : acceptNodeAbi(nodeAbi, code);
  return reported === undefined ? content : { ...content, nodeAbi: reported };
}

/** What the ABI of one module may hold: a node's answer with all modules of an account is bounded so when it is read, too. */
const NODE_ABI = { values: 2_000_000, depth: 64 };

function acceptNodeAbi(text: string, code: Uint8Array): ModuleAbi | undefined {
  try {
    if (findJsonExcess(Buffer.from(text), NODE_ABI) !== undefined) return undefined;
    const abi = parseNodeAbi(JSON.parse(text));
    const self = readSelfId(code)?.id;
    return self === undefined || isSameModule(self, abi) ? abi : undefined;
  } catch (error) {
    if (error instanceof DecodeError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

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
