/**
 * movedex as a library: bytecode of a Move module to its ABI, without a node. The rest of movedex is a command line.
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
export type { Address } from "./move/address.ts";
export { DecodeError } from "./move/decode-error.ts";
export type { Ability, ModuleId, MoveType } from "./move/types/types.ts";
