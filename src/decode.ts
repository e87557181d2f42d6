/**
 * Bytecode to ABI, in any runtime: no Node.js, no database. docs/library.md shows each function.
 *
 * @module
 */

export { type InterfaceOptions, type ModuleInterface, type NodeAbi, readInterface } from "./capabilities/decode/read-interface.ts";
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
