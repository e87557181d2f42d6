import type { NodeAbiJson, NodeFunctionJson, NodeStructJson } from "../../src/core/abi/node-json/format.ts";

/** A line of abi.jsonl: a module's ABI as a 2026 node prints it, and what that leaves out. It comes from a reader that is not ours. */
export type RecordedModule = {
  readonly sha256: string;
  readonly bytecode_version: number;
  readonly abi: Omit<NodeAbiJson, "structs"> & { readonly structs: readonly Required<NodeStructJson>[] };
  readonly dependencies: readonly string[];
  readonly private_functions: readonly NodeFunctionJson[];
  readonly native_functions: readonly string[];
  readonly phantom_type_params: Readonly<Record<string, readonly boolean[]>>;
  readonly resource_groups: Readonly<Record<string, readonly (readonly [kind: number, args: readonly string[]])[]>>;
  readonly errors: Readonly<Record<string, readonly [name: string, description: string]>>;
};

type Row = readonly (string | number | null)[];

const abilityFlags = "has_copy, has_drop, has_store, has_key";
const checkedColumns = {
  modules_at: "bytecode_sha256, bytecode_version",
  functions_at: "name, visibility, is_entry, is_view, is_native",
  function_params_at: "function, position, type",
  function_returns_at: "function, position, type",
  type_params_at: `item, item_kind, position, is_phantom, ${abilityFlags}`,
  structs_at: `name, is_native, is_event, is_enum, ${abilityFlags}`,
  fields_at: "struct, variant, position, name, type",
  variants_at: "struct, position, name",
  attributes_at: "item, kind, args",
  friends_at: "other_address, other_module",
  dependencies_at: "other_address, other_module",
  error_codes_at: "code, name, description",
} as const;

/** The name of a view that is checked. */
export type CheckedView = keyof typeof checkedColumns;

/** The queries whose answers `expectedRows` gives: all that a snapshot holds of one module, without the module's own name. */
export const viewQueries = Object.fromEntries(
  Object.entries(checkedColumns).map(([view, columns]) => {
    const which = view === "attributes_at" ? "item_kind = 'struct' AND " : "";
    return [view, `SELECT ${columns} FROM ${view} WHERE ${which}ledger_version = ? AND address = ? AND module = ?`];
  }),
) as Readonly<Record<CheckedView, string>>;

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
