import { parseAddress } from "../../move/address.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { isAbility } from "../../move/types/abilities.ts";
import { parseType } from "../../move/types/parse-type.ts";
import type { Ability, ModuleId, MoveType } from "../../move/types/types.ts";
import type { FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi, VariantAbi, Visibility } from "../model.ts";

/**
 * Reads a node's ABI JSON. What older nodes or all nodes leave out counts as false or empty; unknown fields are ignored.
 * @throws DecodeError `MOVEDEX_DECODE_MALFORMED`, offset 0, if a field has the wrong type
 */
export function parseNodeAbi(json: unknown): ModuleAbi {
  const abi = new Value(json, "abi");
  return {
    ...readModuleId(new Value(`${abi.at("address").text()}::${abi.at("name").text()}`, "abi")),
    friends: abi.at("friends").list(readModuleId),
    dependencies: [],
    functions: abi.at("exposed_functions").list(readFunction),
    structs: abi.at("structs").list(readStruct),
    errors: [],
  };
}

function readFunction(fn: Value): FunctionAbi {
  return {
    name: fn.at("name").text(),
    visibility: readVisibility(fn.at("visibility")),
    isEntry: fn.at("is_entry").flag(),
    isView: fn.at("is_view", false).flag(),
    isNative: false,
    typeParams: fn.at("generic_type_params").list(readTypeParameter),
    params: fn.at("params").list(readType),
    returns: fn.at("return").list(readType),
    acquires: [],
    attributes: [],
  };
}

function readStruct(struct: Value): StructAbi {
  return {
    name: struct.at("name").text(),
    isNative: struct.at("is_native").flag(),
    isEvent: struct.at("is_event", false).flag(),
    isEnum: struct.at("is_enum", false).flag(),
    abilities: struct.at("abilities").list(readAbility),
    typeParams: struct.at("generic_type_params").list(readTypeParameter),
    fields: struct.at("fields").list(readField),
    variants: struct.at("variants", []).list(readVariant),
    attributes: [],
  };
}

function readVariant(variant: Value): VariantAbi {
  return { name: variant.at("name").text(), fields: variant.at("fields").list(readField) };
}

function readField(field: Value): FieldAbi {
  return { name: field.at("name").text(), type: readType(field.at("type")) };
}

function readTypeParameter(param: Value): TypeParameterAbi {
  return { constraints: param.at("constraints").list(readAbility), isPhantom: false };
}

function readType(type: Value): MoveType {
  return parseType(type.text());
}

function readAbility(ability: Value): Ability {
  return isAbility(ability.json) ? ability.json : ability.refuse("an ability");
}

function readVisibility(value: Value): Visibility {
  const { json } = value;
  return json === "private" || json === "public" || json === "friend" ? json : value.refuse("`private`, `public` or `friend`");
}

function readModuleId(id: Value): ModuleId {
  const [address = "", name, ...rest] = id.text().split("::");
  const parsed = parseAddress(address);
  return parsed && name && rest.length === 0 ? { address: parsed, name } : id.refuse("an address and a module's name");
}

/** A value in the JSON, with its place for errors: `abi.structs[0].name`. */
class Value {
  readonly json: unknown;
  readonly #place: string;

  constructor(json: unknown, place: string) {
    this.json = json;
    this.#place = place;
  }

  /** A member of an object, or `otherwise` where it has none. */
  at(key: string, otherwise?: unknown): Value {
    const { json } = this;
    if (typeof json !== "object" || json === null || Array.isArray(json)) this.refuse("an object");
    return new Value((json as Readonly<Record<string, unknown>>)[key] ?? otherwise, `${this.#place}.${key}`);
  }

  list<T>(read: (item: Value) => T): T[] {
    return Array.isArray(this.json) ? this.json.map((item, i) => read(new Value(item, `${this.#place}[${i}]`))) : this.refuse("a list");
  }

  text(): string {
    return typeof this.json === "string" ? this.json : this.refuse("a text");
  }

  flag(): boolean {
    return typeof this.json === "boolean" ? this.json : this.refuse("true or false");
  }

  refuse(wanted: string): never {
    throw new DecodeError("malformed", `${this.#place} is not ${wanted}`, undefined, { what: "ABI JSON" });
  }
}
