import type { Database } from "better-sqlite3";
import type { AttributeAbi, FieldAbi, FunctionAbi, ModuleAbi, StructAbi, TypeParameterAbi, Visibility } from "../../abi/model.ts";
import { parseType } from "../../move/types/parse-type.ts";
import type { Ability, MoveType } from "../../move/types/types.ts";
import { abilityBits, type FunctionRow, PHANTOM, type StructRow } from "./abi-rows.ts";
import { prepareStoredRows } from "./stored-rows.ts";

/**
 * Prepares reading ABIs back from their rows, by number of the row in `abis`. Types come from their text, so the abilities
 * of function types are lost; whoever has bytes that decode takes the ABI from them instead.
 */
export function prepareAbiReader(database: Database): (abiId: bigint) => ModuleAbi {
  const stored = prepareStoredRows(database);
  return (abiId) => {
    const id = Number(abiId);
    const self = stored.self(id);
    if (self === undefined) throw new RangeError(`there is no ABI ${abiId}`);
    return {
      ...self.id,
      friends: stored.friends(id),
      dependencies: stored.dependencies(id),
      functions: stored.functions(id).map(({ row }) => readFunction(row)),
      structs: stored.structs(id).map(({ row }) => readStruct(row)),
      errors: readList<[string, string, string]>(self.errors).map(([code, name, description]) => ({
        code: BigInt(code),
        name,
        description,
      })),
    };
  };
}

function readFunction(row: FunctionRow): FunctionAbi {
  const [name, visibility, isEntry, isView, isNative, typeParams, params, returns, acquires, attributes] = row;
  return {
    name,
    visibility: visibility as Visibility,
    isEntry: isEntry === 1,
    isView: isView === 1,
    isNative: isNative === 1,
    typeParams: readTypeParams(typeParams),
    params: readTypes(params),
    returns: readTypes(returns),
    acquires: readList<string>(acquires),
    attributes: readAttributes(attributes),
  };
}

function readStruct([name, isNative, isEvent, isEnum, abilities, typeParams, attributes, variants, fields]: StructRow): StructAbi {
  const rows = readList<[string, string, number?, number?]>(fields);
  const fieldsOf = (variant: number | undefined): FieldAbi[] =>
    rows.filter(([, , place]) => place === variant).map(([field, type]) => ({ name: field, type: parseType(type) }));
  return {
    name,
    isNative: isNative === 1,
    isEvent: isEvent === 1,
    isEnum: isEnum === 1,
    abilities: readAbilities(abilities),
    typeParams: readTypeParams(typeParams),
    fields: fieldsOf(undefined),
    variants: readList<string>(variants).map((variant, place) => ({ name: variant, fields: fieldsOf(place) })),
    attributes: readAttributes(attributes),
  };
}

function readTypes(list: string | null): MoveType[] {
  return readList<string>(list).map(parseType);
}

function readTypeParams(list: string | null): TypeParameterAbi[] {
  return readList<number>(list).map((sum) => ({ constraints: readAbilities(sum), isPhantom: (sum & PHANTOM) !== 0 }));
}

function readAttributes(list: string | null): AttributeAbi[] {
  return readList<[number, string[]]>(list).map(([kind, args]) => ({ kind, args }));
}

function readAbilities(sum: number): Ability[] {
  return abilityBits.filter((_, bit) => ((sum >> bit) & 1) === 1);
}

function readList<T>(json: string | null): T[] {
  return json === null ? [] : (JSON.parse(json) as T[]);
}
