/**
 * Bytecode to ABI, in any runtime: no Node.js, no database. docs/library.md shows each function.
 *
 * @module
 */
import { bytesOf, decodeModule, type ModuleSource } from "./core/abi/decode.ts";
import type { ModuleAbi } from "./core/abi/model.ts";
import { parseNodeAbi } from "./core/abi/node-json/parse.ts";
import { formatInterface, readBodies } from "./core/abi/print/interface-text.ts";
import { formatModuleId } from "./core/move/module-id.ts";

export type { ModuleSource } from "./core/abi/decode.ts";
export { type DecodedModule, decodeModule } from "./core/abi/decode.ts";
export type {
  AttributeAbi,
  ErrorCodeAbi,
  FieldAbi,
  FunctionAbi,
  ModuleAbi,
  StructAbi,
  TypeParameterAbi,
  VariantAbi,
  Visibility,
} from "./core/abi/model.ts";
export { formatNodeAbi, type NodeAbiJson, type NodeGeneration } from "./core/abi/node-json/format.ts";
export { formatSignature } from "./core/abi/print/signature.ts";
export { MovedexError } from "./core/errors.ts";
export type { Address } from "./core/move/address.ts";
export { DecodeError } from "./core/move/decode-error.ts";
export type { ModuleId } from "./core/move/module-id.ts";
export type { Ability, MoveType } from "./core/move/types/make-type.ts";

/** An ABI as nodes answer it in JSON; the rest of it is checked when it is read. */
export type NodeAbi = { readonly address: string; readonly name: string; readonly exposed_functions: readonly unknown[] };

export type ModuleInterface = {
  /** `0x1::coin`. */
  readonly id: string;
  /** From a node's ABI it lacks what nodes leave out: private functions, dependencies, error codes. */
  readonly abi: ModuleAbi;
  /** 1 to 10; undefined if only the ABI was given. */
  readonly bytecodeVersion: number | undefined;
  /** The module as Move source without bodies. */
  readonly text: string;
};

/** What the text of an interface shows. */
export type InterfaceOptions = {
  /** Also private functions, and those that the compiler generated for public structs. */
  readonly all?: boolean;
  /** Every function with its instructions, if bytecode was given. */
  readonly code?: boolean;
};

/**
 * Reads a module's interface from its bytecode or from a node's ABI, as `movedex show` does.
 * @throws DecodeError `MOVEDEX_DECODE_MALFORMED`, `MOVEDEX_DECODE_UNSUPPORTED_VERSION` or `MOVEDEX_DECODE_LIMIT`
 */
export function readInterface(module: ModuleSource | NodeAbi, { all = false, code = false }: InterfaceOptions = {}): ModuleInterface {
  if ("exposed_functions" in module) {
    const abi = parseNodeAbi(module);
    return { id: formatModuleId(abi), abi, bytecodeVersion: undefined, text: formatInterface({ abi, functionMarks: new Map() }, { all }) };
  }
  const bytes = bytesOf(module);
  const decoded = decodeModule(bytes);
  return {
    id: formatModuleId(decoded.abi),
    abi: decoded.abi,
    bytecodeVersion: decoded.bytecodeVersion,
    text: formatInterface(decoded, { all: all || code, bodyOf: code ? readBodies(bytes) : undefined }),
  };
}
