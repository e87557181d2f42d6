import { parseAddress } from "../../move/address.ts";
import { DecodeError } from "../../move/decode-error.ts";
import type { ModuleId } from "../../move/module-id.ts";
import { type Ability, isAbility, type MoveType } from "../../move/types/make-type.ts";
import { parseType } from "../../move/types/parse-type.ts";
import type { FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi, VariantAbi, Visibility } from "../model.ts";

/**
 * Reads a node's ABI JSON. What older nodes or all nodes leave out counts as false or empty; unknown fields are ignored.
 * @throws DecodeError `MOVEDEX_DECODE_MALFORMED`, offset 0, if a field has the wrong type
 */
export function parseNodeAbi(json: unknown): ModuleAbi {
  const member = membersOf(json, "abi");
  return {
    ...readModuleId(`${member("address", readText)}::${member("name", readText)}`, "abi"),
    friends: member("friends", listOf(readModuleId)),
    dependencies: [],
    functions: member("exposed_functions", listOf(readFunction)),
    structs: member("structs", listOf(readStruct)),
    errors: [],
  };
}

function readFunction(json: unknown, place: string): FunctionAbi {
  const member = membersOf(json, place);
  return {
    name: member("name", readText),
    visibility: member("visibility", readVisibility),
    isEntry: member("is_entry", readFlag),
    isView: member("is_view", readFlag, false),
    isNative: false,
    typeParams: member("generic_type_params", listOf(readTypeParameter)),
    params: member("params", listOf(readType)),
    returns: member("return", listOf(readType)),
    acquires: [],
    attributes: [],
  };
}

function readStruct(json: unknown, place: string): StructAbi {
  const member = membersOf(json, place);
  return {
    name: member("name", readText),
    isNative: member("is_native", readFlag),
    isEvent: member("is_event", readFlag, false),
    isEnum: member("is_enum", readFlag, false),
    abilities: member("abilities", listOf(readAbility)),
    typeParams: member("generic_type_params", listOf(readTypeParameter)),
    fields: member("fields", listOf(readField)),
    variants: member("variants", listOf(readVariant), []),
    attributes: [],
  };
}

function readVariant(json: unknown, place: string): VariantAbi {
  const member = membersOf(json, place);
  return { name: member("name", readText), fields: member("fields", listOf(readField)) };
}

function readField(json: unknown, place: string): FieldAbi {
  const member = membersOf(json, place);
  return { name: member("name", readText), type: member("type", readType) };
}

function readTypeParameter(json: unknown, place: string): TypeParameterAbi {
  return { constraints: membersOf(json, place)("constraints", listOf(readAbility)), isPhantom: false };
}

function readType(json: unknown, place: string): MoveType {
  return parseType(readText(json, place));
}

function readAbility(json: unknown, place: string): Ability {
  return isAbility(json) ? json : refuse(place, "an ability");
}

function readVisibility(json: unknown, place: string): Visibility {
  return json === "private" || json === "public" || json === "friend" ? json : refuse(place, "`private`, `public` or `friend`");
}

function readModuleId(json: unknown, place: string): ModuleId {
  const [address = "", name, ...rest] = readText(json, place).split("::");
  const parsed = parseAddress(address);
  return parsed && name && rest.length === 0 ? { address: parsed, name } : refuse(place, "an address and a module's name");
}

/** PostgreSQL keeps no text that has U+0000 or half a surrogate pair. */
function readText(json: unknown, place: string): string {
  return typeof json === "string" && json.isWellFormed() && !json.includes("\0") ? json : refuse(place, "a text");
}

function readFlag(json: unknown, place: string): boolean {
  return typeof json === "boolean" ? json : refuse(place, "true or false");
}

/** Reads a value. `place` names it in errors: `abi.structs[0].name`. */
type Read<T> = (json: unknown, place: string) => T;

/** Reads members of an object, with a value for one that it may lack. */
function membersOf(json: unknown, place: string): <T>(key: string, read: Read<T>, otherwise?: unknown) => T {
  if (typeof json !== "object" || json === null || Array.isArray(json)) refuse(place, "an object");
  return (key, read, otherwise) => read((json as Readonly<Record<string, unknown>>)[key] ?? otherwise, `${place}.${key}`);
}

function listOf<T>(read: Read<T>): Read<T[]> {
  return (json, place) => (Array.isArray(json) ? json.map((item, i) => read(item, `${place}[${i}]`)) : refuse(place, "a list"));
}

function refuse(place: string, wanted: string): never {
  throw new DecodeError("malformed", `${place} is not ${wanted}`, undefined, { what: "ABI JSON" });
}
