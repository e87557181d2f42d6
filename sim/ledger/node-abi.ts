import { decodeModule } from "../../src/core/abi/decode.ts";
import { formatNodeAbi, type NodeAbiJson, nodePrintsAbi } from "../../src/core/abi/node-json/format.ts";
import { DecodeError } from "../../src/core/move/decode-error.ts";
import { type Generation, traitsOf } from "./generation.ts";

/**
 * The `abi` of a module record as one generation prints it, or null where it cannot read the module. `recorded` is generation D's
 * answer; without it the bytes are decoded. Source: aptos-core `api/types/src/move_types.rs`, `bytecode.rs`.
 */
export function printAbi(bytes: Uint8Array, recorded: NodeAbiJson | undefined, generation: Generation): object | null {
  return recorded && !hidesEnum(recorded, generation) ? recordedForm(recorded, generation) : decodedForm(bytes, generation);
}

/** Generation D prints `0x1::option` as the struct it was; what older nodes make of the enum is not to be had from that. */
function hidesEnum({ address, name }: NodeAbiJson, generation: Generation): boolean {
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

function recordedForm(recorded: NodeAbiJson, generation: Generation): object | null {
  const { enums, dollarInNames, isEvent, privateViews } = traitsOf[generation];
  if (enums === "unknown" && recorded.structs.some((struct) => struct.is_enum)) return null;
  if (!dollarInNames && recorded.exposed_functions.some(({ name }) => name.includes("$"))) return null;
  const omitted = [...(isEvent ? [] : ["is_event"]), ...(enums === "with variants" ? [] : ["is_enum", "variants"])];
  const printed = structFields.filter((field) => !omitted.includes(field));
  const { address, name, friends, exposed_functions, structs } = recorded;
  return {
    address,
    name,
    friends,
    exposed_functions: exposed_functions
      .filter((it) => privateViews || it.visibility !== "private" || it.is_entry)
      .map((it) => pick(it, functionFields)),
    structs: structs.map((struct) => pick(struct, printed)),
  };
}

/** The fields in the node's order. */
const functionFields = ["name", "visibility", "is_entry", "is_view", "generic_type_params", "params", "return"] as const;
const structFields = ["name", "is_native", "is_event", "is_enum", "abilities", "generic_type_params", "fields", "variants"] as const;

function pick<T extends object>(record: T, fields: readonly (keyof T)[]): object {
  return Object.fromEntries(fields.map((field) => [field, record[field]]));
}
