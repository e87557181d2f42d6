/**
 * Bytecode to ABI, in any runtime: no Node.js, no database. docs/library.md shows each function.
 *
 * @module
 */
export { type DecodedModule, decodeModule } from "./abi/decode.ts";
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
} from "./abi/model.ts";
export { formatNodeAbi, type NodeAbiJson, type NodeGeneration } from "./abi/node-json/format.ts";
export { formatSignature } from "./abi/print/signature.ts";
export { MovedexError } from "./errors.ts";
export type { ModuleSource } from "./library/module-source.ts";
export { type InterfaceOptions, type ModuleInterface, type NodeAbi, readInterface } from "./library/read-interface.ts";
export type { Address } from "./move/address.ts";
export { DecodeError } from "./move/decode-error.ts";
export type { ModuleId } from "./move/module-id.ts";
export type { Ability, MoveType } from "./move/types/make-type.ts";
