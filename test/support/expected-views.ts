/** A line of abi.jsonl: a module's ABI as a 2026 node prints it, and what that leaves out. */
export type RecordedModule = {
  readonly sha256: string;
  readonly bytecode_version: number;
  readonly abi: {
    readonly address: string;
    readonly name: string;
    readonly friends: readonly string[];
    readonly exposed_functions: readonly RecordedFunction[];
    readonly structs: readonly RecordedStruct[];
  };
  readonly dependencies: readonly string[];
  readonly private_functions: readonly RecordedFunction[];
  readonly native_functions: readonly string[];
  readonly phantom_type_params: Readonly<Record<string, readonly boolean[]>>;
  readonly resource_groups: Readonly<Record<string, readonly (readonly [number, readonly string[]])[]>>;
  readonly errors: Readonly<Record<string, readonly [string, string]>>;
};

type RecordedFunction = {
  readonly name: string;
  readonly visibility: string;
  readonly is_entry: boolean;
  readonly is_view: boolean;
  readonly generic_type_params: readonly { readonly constraints: readonly string[] }[];
  readonly params: readonly string[];
  readonly return: readonly string[];
};

type RecordedField = { readonly name: string; readonly type: string };

type RecordedStruct = {
  readonly name: string;
  readonly is_native: boolean;
  readonly is_event: boolean;
  readonly is_enum: boolean;
  readonly abilities: readonly string[];
  readonly generic_type_params: readonly { readonly constraints: readonly string[] }[];
  readonly fields: readonly RecordedField[];
  readonly variants: readonly { readonly name: string; readonly fields: readonly RecordedField[] }[];
};

type Row = readonly (string | number | null)[];

/** The queries whose answers `expectedRows` gives: all that a snapshot holds of one module, without the module's own name. */
export const viewQueries = {
  modules_at: "SELECT bytecode_sha256, bytecode_version FROM modules_at WHERE ledger_version = ? AND address = ? AND module = ?",
  functions_at:
    "SELECT name, visibility, is_entry, is_view, is_native FROM functions_at WHERE ledger_version = ? AND address = ? AND module = ?",
  function_params_at: "SELECT function, position, type FROM function_params_at WHERE ledger_version = ? AND address = ? AND module = ?",
  function_returns_at: "SELECT function, position, type FROM function_returns_at WHERE ledger_version = ? AND address = ? AND module = ?",
  type_params_at:
    "SELECT item, item_kind, position, is_phantom, has_copy, has_drop, has_store, has_key FROM type_params_at WHERE ledger_version = ? AND address = ? AND module = ?",
  structs_at:
    "SELECT name, is_native, is_event, is_enum, has_copy, has_drop, has_store, has_key FROM structs_at WHERE ledger_version = ? AND address = ? AND module = ?",
  fields_at: "SELECT struct, variant, position, name, type FROM fields_at WHERE ledger_version = ? AND address = ? AND module = ?",
  variants_at: "SELECT struct, position, name FROM variants_at WHERE ledger_version = ? AND address = ? AND module = ?",
  attributes_at:
    "SELECT item, kind, args FROM attributes_at WHERE item_kind = 'struct' AND ledger_version = ? AND address = ? AND module = ?",
  friends_at: "SELECT other_address, other_module FROM friends_at WHERE ledger_version = ? AND address = ? AND module = ?",
  dependencies_at: "SELECT other_address, other_module FROM dependencies_at WHERE ledger_version = ? AND address = ? AND module = ?",
  error_codes_at: "SELECT code, name, description FROM error_codes_at WHERE ledger_version = ? AND address = ? AND module = ?",
} as const;

/** The name of a view that is checked. */
export type CheckedView = keyof typeof viewQueries;

/** The rows that each query must give for a recorded module, in no particular order. */
export function expectedRows(module: RecordedModule): Record<CheckedView, Row[]> {
  const { abi } = module;
  const isOption = abi.address === "0x1" && abi.name === "option";
  const functions = [...abi.exposed_functions, ...module.private_functions];
  const phantom = (struct: string, position: number): number => flag(module.phantom_type_params[struct]?.[position] ?? false);
  // 2026 nodes print the option enum in its old struct form; the bytes say enum, and so does the store.
  const structs = abi.structs.filter(({ name }) => !(isOption && name === "Option"));
  return {
    modules_at: [[module.sha256, module.bytecode_version]],
    functions_at: functions.map((f) => [
      f.name,
      f.visibility,
      flag(f.is_entry),
      flag(f.is_view),
      flag(module.native_functions.includes(f.name)),
    ]),
    function_params_at: functions.flatMap((f) => f.params.map((type, position) => [f.name, position, type])),
    function_returns_at: functions.flatMap((f) => f.return.map((type, position) => [f.name, position, type])),
    type_params_at: [
      ...functions.flatMap((f) =>
        f.generic_type_params.map((p, position) => [f.name, "function", position, 0, ...abilities(p.constraints)]),
      ),
      ...abi.structs.flatMap((s) =>
        s.generic_type_params.map((p, position) => [s.name, "struct", position, phantom(s.name, position), ...abilities(p.constraints)]),
      ),
    ],
    structs_at: structs.map((s) => [s.name, flag(s.is_native), flag(s.is_event), flag(s.is_enum), ...abilities(s.abilities)]),
    fields_at: structs.flatMap((s) => [
      ...s.fields.map((field, position) => [s.name, null, position, field.name, field.type]),
      ...s.variants.flatMap((variant) => variant.fields.map((field, position) => [s.name, variant.name, position, field.name, field.type])),
    ]),
    variants_at: structs.flatMap((s) => s.variants.map((variant, position) => [s.name, position, variant.name])),
    attributes_at: Object.entries(module.resource_groups).flatMap(([struct, list]) =>
      list.map(([kind, args]) => [struct, kind, JSON.stringify(args)]),
    ),
    friends_at: abi.friends.map(splitId),
    dependencies_at: module.dependencies.map(splitId),
    error_codes_at: Object.entries(module.errors).map(([code, [name, description]]) => [Number(code), name, description]),
  };
}

/** Rows in one order, for comparing sets of them. */
export function sortedRows(rows: readonly Row[]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}

function splitId(id: string): [string, string] {
  const [address, name] = id.split("::") as [string, string];
  return [address, name];
}

function flag(value: boolean): number {
  return value ? 1 : 0;
}

function abilities(names: readonly string[]): number[] {
  return ["copy", "drop", "store", "key"].map((name) => flag(names.includes(name)));
}
