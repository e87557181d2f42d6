import type { Database } from "better-sqlite3";
import type { AttributeAbi, FieldAbi, ModuleAbi, TypeParameterAbi, Visibility } from "../../abi/model.ts";
import type { Address } from "../../move/address.ts";
import { parseType } from "../../move/types/parse-type.ts";
import type { Ability, ModuleId, MoveType } from "../../move/types/types.ts";

type Flags = { has_copy: bigint; has_drop: bigint; has_store: bigint; has_key: bigint };
type FunctionRow = {
  id: bigint;
  name: string;
  visibility: Visibility;
  is_entry: bigint;
  is_view: bigint;
  is_native: bigint;
  acquires: string;
};
type StructRow = Flags & { id: bigint; name: string; is_native: bigint; is_event: bigint; is_enum: bigint };

/**
 * Prepares reading ABIs back from their rows, by number of the row in `abis`. Types come from their text, so the abilities
 * of function types are lost; whoever has bytes that decode takes the ABI from them instead.
 */
export function prepareAbiReader(database: Database): (abiId: bigint) => ModuleAbi {
  const all = <R>(sql: string) => {
    const statement = database.prepare<[bigint], R>(sql);
    return (id: bigint): R[] => statement.all(id);
  };
  const self = all<ModuleId>(
    "SELECT a.address, m.name FROM abis x JOIN modules m ON m.id = x.module_id JOIN addresses a ON a.id = m.address_id WHERE x.id = ?",
  );
  const others = (table: string) =>
    all<{ address: Address; name: string }>(
      `SELECT a.address, m.name FROM ${table} o JOIN modules m ON m.id = o.module_id JOIN addresses a ON a.id = m.address_id WHERE o.abi_id = ? ORDER BY o.position`,
    );
  const friends = others("abi_friends");
  const dependencies = others("abi_dependencies");
  const errors = all<{ code: string; name: string; description: string }>(
    "SELECT e.code, e.name, e.description FROM abi_error_codes o JOIN error_codes e ON e.id = o.error_code_id WHERE o.abi_id = ? ORDER BY o.position",
  );
  const functions = all<FunctionRow>(
    "SELECT f.* FROM abi_functions o JOIN functions f ON f.id = o.function_id WHERE o.abi_id = ? ORDER BY o.position",
  );
  const structs = all<StructRow>(
    "SELECT s.* FROM abi_structs o JOIN structs s ON s.id = o.struct_id WHERE o.abi_id = ? ORDER BY o.position",
  );
  const types = (table: string) => {
    const rows = all<{ type: string }>(
      `SELECT t.type FROM ${table} p JOIN types t ON t.id = p.type_id WHERE p.function_id = ? ORDER BY p.position`,
    );
    return (id: bigint): MoveType[] => rows(id).map(({ type }) => parseType(type));
  };
  const params = types("function_params");
  const returns = types("function_returns");
  const typeParams = (owner: string) => {
    const rows = all<Flags & { is_phantom: bigint }>(`SELECT * FROM ${owner}_type_params WHERE ${owner}_id = ? ORDER BY position`);
    return (id: bigint): TypeParameterAbi[] => rows(id).map((row) => ({ constraints: abilitiesOf(row), isPhantom: row.is_phantom === 1n }));
  };
  const attributes = (owner: string) => {
    const rows = all<{ kind: bigint; args: string }>(`SELECT kind, args FROM ${owner}_attributes WHERE ${owner}_id = ? ORDER BY position`);
    return (id: bigint): AttributeAbi[] => rows(id).map(({ kind, args }) => ({ kind: Number(kind), args: JSON.parse(args) as string[] }));
  };
  const functionTypeParams = typeParams("function");
  const structTypeParams = typeParams("struct");
  const functionAttributes = attributes("function");
  const structAttributes = attributes("struct");
  const variants = all<{ position: bigint; name: string }>("SELECT position, name FROM variants WHERE struct_id = ? ORDER BY position");
  const fields = all<{ variant: bigint; name: string; type: string }>(
    "SELECT f.variant, f.name, t.type FROM fields f JOIN types t ON t.id = f.type_id WHERE f.struct_id = ? ORDER BY f.variant, f.position",
  );

  return (id) => ({
    ...(self(id)[0] as ModuleId),
    friends: friends(id),
    dependencies: dependencies(id),
    functions: functions(id).map((row) => ({
      name: row.name,
      visibility: row.visibility,
      isEntry: row.is_entry === 1n,
      isView: row.is_view === 1n,
      isNative: row.is_native === 1n,
      typeParams: functionTypeParams(row.id),
      params: params(row.id),
      returns: returns(row.id),
      acquires: JSON.parse(row.acquires) as string[],
      attributes: functionAttributes(row.id),
    })),
    structs: structs(id).map((row) => {
      const rows = fields(row.id);
      const fieldsOf = (variant: bigint): FieldAbi[] =>
        rows.filter((field) => field.variant === variant).map(({ name, type }) => ({ name, type: parseType(type) }));
      return {
        name: row.name,
        isNative: row.is_native === 1n,
        isEvent: row.is_event === 1n,
        isEnum: row.is_enum === 1n,
        abilities: abilitiesOf(row),
        typeParams: structTypeParams(row.id),
        fields: fieldsOf(-1n),
        variants: variants(row.id).map(({ position, name }) => ({ name, fields: fieldsOf(position) })),
        attributes: structAttributes(row.id),
      };
    }),
    errors: errors(id).map(({ code, name, description }) => ({ code: BigInt(code), name, description })),
  });
}

function abilitiesOf(row: Flags): Ability[] {
  return (["copy", "drop", "store", "key"] as const).filter((name) => row[`has_${name}`] === 1n);
}
