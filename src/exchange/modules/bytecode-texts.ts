import { isUtf8 } from "node:buffer";
import { parseHex } from "../../base/hex.ts";
import { findJsonExcess } from "../../base/json.ts";
import { readBytecodeVersion } from "../../move/module/self-id.ts";

/** What a node's answer with all modules of an account may hold. */
const ANSWER = { values: 2_000_000, depth: 64 };

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The bytecode in what people paste or pipe: the bytes themselves, hex with or without `0x`, base64, or a node's JSON of one module or of
 * a list (`bytecode` of each). What is none of these is returned as it is, so that its reader says what is wrong with it.
 */
export function bytecodesIn(input: Uint8Array): readonly Uint8Array[] {
  if (isBytecode(input) || !isUtf8(input)) return [input];
  const text = Buffer.from(input).toString("utf8").trim();
  if (text.startsWith("{") || text.startsWith("[")) return bytecodesInJson(input) ?? [input];
  const digits = text.replaceAll(/\s+/g, "");
  const bytes = parseHex(digits) ?? (BASE64.test(digits) ? new Uint8Array(Buffer.from(digits, "base64")) : input);
  return [isBytecode(bytes) ? bytes : input];
}

function isBytecode(bytes: Uint8Array): boolean {
  return readBytecodeVersion(bytes) !== undefined;
}

function bytecodesInJson(input: Uint8Array): Uint8Array[] | undefined {
  if (findJsonExcess(input, ANSWER) !== undefined) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(input).toString("utf8"));
  } catch {
    return undefined;
  }
  const entries = Array.isArray(json) ? json : [json];
  const found = entries.map(bytecodeOf);
  // An entry without bytecode among others is handed on as it is, too.
  return found.some((one) => one !== undefined) ? found.map((one, i) => one ?? Buffer.from(JSON.stringify(entries[i]))) : undefined;
}

function bytecodeOf(module: unknown): Uint8Array | undefined {
  const text = typeof module === "object" && module !== null && "bytecode" in module ? module.bytecode : module;
  return typeof text === "string" ? parseHex(text) : undefined;
}
