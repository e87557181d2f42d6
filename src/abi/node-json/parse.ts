import { parseAddress } from "../../move/address.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { isAbility } from "../../move/types/abilities.ts";
import { parseType } from "../../move/types/parse-type.ts";
import type { Ability, ModuleId } from "../../move/types/types.ts";
import type { FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi, VariantAbi, Visibility } from "../model.ts";

/**
 * Reads a node's ABI JSON. What older nodes or all nodes leave out counts as false or empty; unknown fields are ignored.
 * @throws DecodeError `MOVEDEX_DECODE_MALFORMED`, offset 0, if a field has the wrong type
 */
export function parseNodeAbi(json: unknown): ModuleAbi {
  const abi = asObject(json, "abi");
  return {
    ...readModuleId(`${asText(abi["address"], "abi.address")}::${asText(abi["name"], "abi.name")}`, "abi"),
    friends: asList(abi["friends"], "abi.friends").map((friend, i) => readModuleId(friend, `abi.friends[${i}]`)),
    dependencies: [],
    functions: asList(abi["exposed_functions"], "abi.exposed_functions").map((fn, i) => readFunction(fn, `abi.exposed_functions[${i}]`)),
    structs: asList(abi["structs"], "abi.structs").map((struct, i) => readStruct(struct, `abi.structs[${i}]`)),
    errors: [],
  };
}

function readFunction(json: unknown, where: string): FunctionAbi {
  const fn = asObject(json, where);
  return {
    name: asText(fn["name"], `${where}.name`),
    visibility: readVisibility(fn["visibility"], `${where}.visibility`),
    isEntry: asFlag(fn["is_entry"], `${where}.is_entry`),
    isView: asFlag(fn["is_view"] ?? false, `${where}.is_view`),
    isNative: false,
    typeParams: readTypeParameters(fn["generic_type_params"], `${where}.generic_type_params`),
    params: asList(fn["params"], `${where}.params`).map((type, i) => parseType(asText(type, `${where}.params[${i}]`))),
    returns: asList(fn["return"], `${where}.return`).map((type, i) => parseType(asText(type, `${where}.return[${i}]`))),
    acquires: [],
    attributes: [],
  };
}

function readStruct(json: unknown, where: string): StructAbi {
  const struct = asObject(json, where);
  return {
    name: asText(struct["name"], `${where}.name`),
    isNative: asFlag(struct["is_native"], `${where}.is_native`),
    isEvent: asFlag(struct["is_event"] ?? false, `${where}.is_event`),
    isEnum: asFlag(struct["is_enum"] ?? false, `${where}.is_enum`),
    abilities: readAbilities(struct["abilities"], `${where}.abilities`),
    typeParams: readTypeParameters(struct["generic_type_params"], `${where}.generic_type_params`),
    fields: readFields(struct["fields"], `${where}.fields`),
    variants: asList(struct["variants"] ?? [], `${where}.variants`).map((variant, i) => readVariant(variant, `${where}.variants[${i}]`)),
    attributes: [],
  };
}

function readVariant(json: unknown, where: string): VariantAbi {
  const variant = asObject(json, where);
  return { name: asText(variant["name"], `${where}.name`), fields: readFields(variant["fields"], `${where}.fields`) };
}

function readFields(json: unknown, where: string): FieldAbi[] {
  return asList(json, where).map((item, i) => {
    const field = asObject(item, `${where}[${i}]`);
    return { name: asText(field["name"], `${where}[${i}].name`), type: parseType(asText(field["type"], `${where}[${i}].type`)) };
  });
}

function readTypeParameters(json: unknown, where: string): TypeParameterAbi[] {
  return asList(json, where).map((item, i) => ({
    constraints: readAbilities(asObject(item, `${where}[${i}]`)["constraints"], `${where}[${i}].constraints`),
    isPhantom: false,
  }));
}

function readAbilities(json: unknown, where: string): Ability[] {
  return asList(json, where).map((ability, i) => (isAbility(ability) ? ability : refuse(`${where}[${i}]`, "an ability")));
}

function readVisibility(json: unknown, where: string): Visibility {
  return json === "private" || json === "public" || json === "friend" ? json : refuse(where, "`private`, `public` or `friend`");
}

function readModuleId(json: unknown, where: string): ModuleId {
  const [address = "", name, ...rest] = asText(json, where).split("::");
  const parsed = parseAddress(address);
  return parsed && name && rest.length === 0 ? { address: parsed, name } : refuse(where, "an address and a module's name");
}

function asObject(json: unknown, where: string): Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as Record<string, unknown>) : refuse(where, "an object");
}

function asList(json: unknown, where: string): readonly unknown[] {
  return Array.isArray(json) ? json : refuse(where, "a list");
}

function asText(json: unknown, where: string): string {
  return typeof json === "string" ? json : refuse(where, "a text");
}

function asFlag(json: unknown, where: string): boolean {
  return typeof json === "boolean" ? json : refuse(where, "true or false");
}

function refuse(where: string, wanted: string): never {
  throw new DecodeError("malformed", `${where} is not ${wanted}`, undefined, { what: "ABI JSON" });
}
