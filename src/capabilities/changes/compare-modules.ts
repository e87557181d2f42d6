import { sha256 } from "@noble/hashes/sha2.js";
import { bytesOf, decodeModule, type ModuleSource } from "../../core/abi/decode.ts";
import { formatHex } from "../../core/base/bytes.ts";
import { differenceOf, type ModuleDifference, type ModuleWithBytes } from "./compare/difference.ts";

/**
 * Compares two versions of a module by the rules of `movedex diff`. One may be missing (undefined). Undefined if the bytes are
 * equal. `code` adds the instructions that differ. @throws DecodeError when a version cannot be decoded
 */
export function compareModules(
  before: ModuleSource | undefined,
  after: ModuleSource | undefined,
  { code = false }: { readonly code?: boolean } = {},
): ModuleDifference | undefined {
  if (before === undefined && after === undefined) return undefined;
  return differenceOf(load(before), load(after), { codeLines: code ? Number.POSITIVE_INFINITY : undefined });
}

function load(source: ModuleSource | undefined): ModuleWithBytes | undefined {
  if (source === undefined) return undefined;
  const bytes = bytesOf(source);
  return { ...decodeModule(bytes), bytes, sha256: formatHex(sha256(bytes)) };
}
