import { formatModuleId } from "../../move/module-id.ts";
import type { Ability } from "../../move/types/make-type.ts";
import type { DecodedModule } from "../decode.ts";
import type { FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi } from "../model.ts";

/**
 * Generations of the node's software. A: Movement before its migration (2024-07). B: Movement L1 (2025-06). C: upstream of
 * 2025-09. D: upstream of 2026. Source: aptos-core `api/types/src/move_types.rs` and `bytecode.rs` at those dates.
 */
export type NodeGeneration = "A" | "B" | "C" | "D";

/** A module's ABI in a node's JSON, with keys in the node's order. */
export type NodeAbiJson = {
  readonly address: string;
  readonly name: string;
  readonly friends: readonly string[];
  readonly exposed_functions: readonly NodeFunctionJson[];
  readonly structs: readonly NodeStructJson[];
};

export type NodeFunctionJson = {
  readonly name: string;
  readonly visibility: string;
  readonly is_entry: boolean;
  readonly is_view: boolean;
  readonly generic_type_params: readonly NodeTypeParameterJson[];
  readonly params: readonly string[];
  readonly return: readonly string[];
};

export type NodeStructJson = {
  readonly name: string;
  readonly is_native: boolean;
  /** From generation B on. */
  readonly is_event?: boolean;
  /** Generation D alone, as is `variants`. */
  readonly is_enum?: boolean;
  readonly abilities: readonly Ability[];
  readonly generic_type_params: readonly NodeTypeParameterJson[];
  readonly fields: readonly NodeFieldJson[];
  readonly variants?: readonly { readonly name: string; readonly fields: readonly NodeFieldJson[] }[];
};

/** A type parameter in a node's JSON, which does not tell whether it is phantom. */
export type NodeTypeParameterJson = { readonly constraints: readonly Ability[] };

export type NodeFieldJson = { readonly name: string; readonly type: string };

/** The newest bytecode version that nodes of a generation read. */
const maxBytecodeVersions: Readonly<Record<NodeGeneration, number>> = { A: 7, B: 8, C: 8, D: 10 };

/** The first generation whose nodes do something. */
const since = { readsEnums: "B", printsIsEvent: "B", printsEnums: "D", printsPrivateViews: "D" } as const;

/** The ABI exactly as a node of `generation` prints it, provided that it can read the module; see `nodePrintsAbi`. */
export function formatNodeAbi(abi: ModuleAbi, generation: NodeGeneration = "D"): NodeAbiJson {
  return {
    address: abi.address,
    name: abi.name,
    friends: abi.friends.map(formatModuleId),
    exposed_functions: abi.functions.filter((fn) => nodePrintsFunction(fn, generation)).map(formatNodeFunction),
    structs: abi.structs.map((struct) => formatStruct(abi, struct, generation)),
  };
}

/** Whether a node of `generation` prints an ABI for these bytes, or null: the bytecode is newer than it knows, or has enums (A). */
export function nodePrintsAbi({ bytecodeVersion, abi }: DecodedModule, generation: NodeGeneration = "D"): boolean {
  if (bytecodeVersion > maxBytecodeVersions[generation]) return false;
  return generation >= since.readsEnums || !abi.structs.some(({ isEnum }) => isEnum);
}

export function formatNodeFunction(fn: FunctionAbi): NodeFunctionJson {
  return {
    name: fn.name,
    visibility: fn.visibility,
    is_entry: fn.isEntry,
    is_view: fn.isView,
    generic_type_params: formatTypeParameters(fn.typeParams),
    params: fn.params.map(({ text }) => text),
    return: fn.returns.map(({ text }) => text),
  };
}

function nodePrintsFunction(fn: FunctionAbi, generation: NodeGeneration): boolean {
  return fn.isEntry || fn.visibility !== "private" || (fn.isView && generation >= since.printsPrivateViews);
}

function formatStruct(abi: ModuleAbi, struct: StructAbi, generation: NodeGeneration): NodeStructJson {
  const printsEnums = generation >= since.printsEnums;
  const disguised = printsEnums && isOldOption(abi, struct);
  return {
    name: struct.name,
    is_native: struct.isNative,
    ...(generation >= since.printsIsEvent && { is_event: struct.isEvent }),
    ...(printsEnums && { is_enum: struct.isEnum && !disguised }),
    abilities: struct.abilities,
    generic_type_params: formatTypeParameters(struct.typeParams),
    fields: disguised ? [{ name: "vec", type: "vector<T0>" }] : formatFields(struct.fields),
    ...(printsEnums && { variants: disguised ? [] : struct.variants.map(({ name, fields }) => ({ name, fields: formatFields(fields) })) }),
  };
}

/** `0x1::option` became an enum in 2025; nodes go on printing the struct that SDKs know. Source: `new_move_struct` in bytecode.rs. */
function isOldOption(abi: ModuleAbi, struct: StructAbi): boolean {
  return abi.address === "0x1" && abi.name === "option" && struct.isEnum && struct.variants.length === 2;
}

function formatFields(fields: readonly FieldAbi[]): NodeFieldJson[] {
  return fields.map(({ name, type }) => ({ name, type: type.text }));
}

function formatTypeParameters(params: readonly TypeParameterAbi[]): NodeTypeParameterJson[] {
  return params.map(({ constraints }) => ({ constraints }));
}
