import type { AttributeAbi, FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi } from "../../abi/model.ts";
import { formatHex } from "../../base/hex.ts";
import type { ModuleId, MoveType } from "../../move/types/types.ts";

/**
 * A function as one text that is the same exactly when all that the model says of it is the same. Its digest names the
 * row, so the text must never change: a new form of it would store every function again.
 */
export function canonicalFunction(item: FunctionAbi): string {
  return JSON.stringify([
    item.name,
    item.visibility,
    item.isEntry,
    item.isView,
    item.isNative,
    item.typeParams.map(canonicalTypeParam),
    item.params.map(canonicalType),
    item.returns.map(canonicalType),
    item.acquires,
    item.attributes.map(canonicalAttribute),
  ]);
}

/** A struct or enum as one text, under the same promise as a function's. */
export function canonicalStruct(item: StructAbi): string {
  return JSON.stringify([
    item.name,
    item.isNative,
    item.isEvent,
    item.isEnum,
    item.abilities.toSorted(),
    item.typeParams.map(canonicalTypeParam),
    item.fields.map(canonicalField),
    item.variants.map(({ name, fields }) => [name, fields.map(canonicalField)]),
    item.attributes.map(canonicalAttribute),
  ]);
}

/** A whole ABI as one text, its functions and structs by their digests. */
export function canonicalAbi(abi: ModuleAbi, functions: readonly Uint8Array[], structs: readonly Uint8Array[]): string {
  return JSON.stringify([
    canonicalModule(abi),
    abi.friends.map(canonicalModule),
    abi.dependencies.map(canonicalModule),
    functions.map(formatHex),
    structs.map(formatHex),
    abi.errors.map(({ code, name, description }) => [code.toString(), name, description]),
  ]);
}

/** The printed text, and more only for function types, whose abilities it leaves out. */
function canonicalType(type: MoveType): unknown {
  if (!type.text.includes("|")) return type.text;
  switch (type.kind) {
    case "vector":
      return ["vector", canonicalType(type.element)];
    case "reference":
      return [type.mutable ? "&mut" : "&", canonicalType(type.target)];
    case "struct":
      return ["struct", canonicalModule(type.module), type.name, type.typeArguments.map(canonicalType)];
    case "function":
      return ["function", type.abilities.toSorted(), type.params.map(canonicalType), type.results.map(canonicalType)];
    default:
      return type.text;
  }
}

function canonicalModule({ address, name }: ModuleId): string {
  return `${address}::${name}`;
}

function canonicalTypeParam({ constraints, isPhantom }: TypeParameterAbi): unknown {
  return [constraints.toSorted(), isPhantom];
}

function canonicalAttribute({ kind, args }: AttributeAbi): unknown {
  return [kind, args];
}

function canonicalField({ name, type }: FieldAbi): unknown {
  return [name, canonicalType(type)];
}
