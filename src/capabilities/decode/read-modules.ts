import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { decodeModule } from "../../core/abi/decode.ts";
import type { ModuleAbi } from "../../core/abi/model.ts";
import { parseNodeAbi } from "../../core/abi/node-json/parse.ts";
import { parseHex } from "../../core/base/bytes.ts";
import { findJsonExcess } from "../../core/base/json.ts";
import { ifDecodable } from "../../core/move/decode-error.ts";
import { readBytecodeVersion, readSelfId } from "../../core/move/module/self-id.ts";
import { isSameModule } from "../../core/move/module-id.ts";

export type DerivedContent = { readonly code: Uint8Array; readonly bytecodeVersion: number | null; readonly nodeAbi?: ModuleAbi };

/**
 * Imported bytecode. Its ABI comes from the bytes; for those that cannot be decoded, a node's ABI (JSON) of the same module is accepted.
 */
export function deriveContent(code: Uint8Array, nodeAbi: string | null): DerivedContent {
  const content = { code, bytecodeVersion: readBytecodeVersion(code) ?? null };
  const reported = nodeAbi === null || ifDecodable(() => decodeModule(code)) !== undefined ? undefined : acceptNodeAbi(nodeAbi, code);
  return reported === undefined ? content : { ...content, nodeAbi: reported };
}

function acceptNodeAbi(text: string, code: Uint8Array): ModuleAbi | undefined {
  const abi = ifDecodable(() => parseNodeAbi(parseAnswer(Buffer.from(text))));
  const self = readSelfId(code);
  return abi !== undefined && (self === undefined || isSameModule(self, abi)) ? abi : undefined;
}

/** What a node's answer with all modules of an account may hold. */
const ANSWER = { values: 2_000_000, depth: 64 };

/** What a text holds that is a node's JSON, or might be; undefined for any other. */
function parseAnswer(text: Uint8Array): unknown {
  if (findJsonExcess(text, ANSWER) !== undefined) return undefined;
  try {
    return JSON.parse(Buffer.from(text).toString("utf8"));
  } catch {
    return undefined;
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

/** In either alphabet (RFC 4648, sections 4 and 5). */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The bytecode in what people paste or pipe: the bytes themselves, hex with or without `0x`, base64, either of them in quotes, or a node's
 * JSON of one module or of a list (`bytecode` of each). What is none of these is returned as it is, so that its reader says what is wrong
 * with it.
 */
export function bytecodesIn(input: Uint8Array): readonly Uint8Array[] {
  if (isBytecode(input) || !isUtf8(input)) return [input];
  const text = Buffer.from(input).toString("utf8").trim();
  if (text.startsWith("{") || text.startsWith("[")) return bytecodesInJson(input) ?? [input];
  const digits = text.replaceAll(/\s+/g, "").replace(/^"(.*)"$/, "$1");
  const bytes = parseHex(digits) ?? (BASE64.test(digits) ? new Uint8Array(Buffer.from(digits, "base64")) : input);
  return [isBytecode(bytes) ? bytes : input];
}

function isBytecode(bytes: Uint8Array): boolean {
  return readBytecodeVersion(bytes) !== undefined;
}

function bytecodesInJson(input: Uint8Array): Uint8Array[] | undefined {
  const json = parseAnswer(input);
  const entries = Array.isArray(json) ? json : [json];
  const found = entries.map(bytecodeOf);
  // An entry without bytecode among others is handed on as it is, too.
  return found.some((one) => one !== undefined) ? found.map((one, i) => one ?? Buffer.from(JSON.stringify(entries[i]))) : undefined;
}

function bytecodeOf(module: unknown): Uint8Array | undefined {
  const text = typeof module === "object" && module !== null && "bytecode" in module ? module.bytecode : module;
  return typeof text === "string" ? parseHex(text) : undefined;
}
