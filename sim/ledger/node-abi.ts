import { decodeModule } from "../../src/abi/decode.ts";
import { formatNodeAbi, nodePrintsAbi } from "../../src/abi/node-json/format.ts";
import { DecodeError } from "../../src/move/decode-error.ts";
import { type Generation, type Traits, traitsOf } from "./generation.ts";

type TypeParameter = { readonly constraints: readonly string[] };
type Field = { readonly name: string; readonly type: string };

type ExposedFunction = {
  readonly name: string;
  readonly visibility: string;
  readonly is_entry: boolean;
  readonly is_view: boolean;
  readonly generic_type_params: readonly TypeParameter[];
  readonly params: readonly string[];
  readonly return: readonly string[];
};

type Struct = {
  readonly name: string;
  readonly is_native: boolean;
  readonly is_event: boolean;
  readonly is_enum: boolean;
  readonly abilities: readonly string[];
  readonly generic_type_params: readonly TypeParameter[];
  readonly fields: readonly Field[];
  readonly variants: readonly { readonly name: string; readonly fields: readonly Field[] }[];
};

/** A module's interface as a node of generation D prints it. */
export type NodeAbi = {
  readonly address: string;
  readonly name: string;
  readonly friends: readonly string[];
  readonly exposed_functions: readonly ExposedFunction[];
  readonly structs: readonly Struct[];
};

/**
 * The `abi` of a module record as one generation prints it, or null where it cannot read the module. `recorded` is generation D's
 * answer; without it the bytes are decoded. Source: aptos-core `api/types/src/move_types.rs`, `bytecode.rs`.
 */
export function printAbi(bytes: Uint8Array, recorded: NodeAbi | undefined, generation: Generation): object | null {
  return recorded && !hidesEnum(recorded, generation) ? olderForm(recorded, generation) : decodedForm(bytes, generation);
}

/** Generation D prints `0x1::option` as the struct it was; what older nodes make of the enum is not to be had from that. */
function hidesEnum({ address, name }: NodeAbi, generation: Generation): boolean {
  return generation !== "D" && address === "0x1" && name === "option";
}

function decodedForm(bytes: Uint8Array, generation: Generation): object | null {
  try {
    const decoded = decodeModule(bytes);
    return nodePrintsAbi(decoded, generation) ? formatNodeAbi(decoded.abi, generation) : null;
  } catch (error) {
    if (error instanceof DecodeError) return null;
    throw error;
  }
}

function olderForm(recorded: NodeAbi, generation: Generation): object | null {
  const traits = traitsOf[generation];
  if (traits.enums === "unknown" && recorded.structs.some((struct) => struct.is_enum)) return null;
  if (!traits.dollarInNames && recorded.exposed_functions.some(({ name }) => name.includes("$"))) return null;
  return {
    address: recorded.address,
    name: recorded.name,
    friends: recorded.friends,
    exposed_functions: recorded.exposed_functions.filter((it) => traits.privateViews || isExposedEverywhere(it)).map(printFunction),
    structs: recorded.structs.map((struct) => printStruct(struct, traits)),
  };
}

function isExposedEverywhere(item: ExposedFunction): boolean {
  return item.visibility !== "private" || item.is_entry;
}

function printFunction(item: ExposedFunction): object {
  return {
    name: item.name,
    visibility: item.visibility,
    is_entry: item.is_entry,
    is_view: item.is_view,
    generic_type_params: item.generic_type_params,
    params: item.params,
    return: item.return,
  };
}

function printStruct(struct: Struct, traits: Traits): object {
  const withVariants = traits.enums === "with variants";
  return {
    name: struct.name,
    is_native: struct.is_native,
    ...(traits.isEvent ? { is_event: struct.is_event } : {}),
    ...(withVariants ? { is_enum: struct.is_enum } : {}),
    abilities: struct.abilities,
    generic_type_params: struct.generic_type_params,
    fields: struct.fields,
    ...(withVariants ? { variants: struct.variants } : {}),
  };
}
