import { compareModuleIds, formatItemId, formatModuleId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import { formatMoveTypeAs, structsIn } from "../../move/types/format-type.ts";
import type { StructType } from "../../move/types/make-type.ts";
import type { MoveType } from "../../move/types/types.ts";
import { allFields, type FunctionAbi, type ModuleAbi, type StructAbi } from "../model.ts";

export type ShownItems = { readonly functions: readonly FunctionAbi[]; readonly structs: readonly StructAbi[] };

/** Names of type parameters, which are never used for anything else. */
const PARAMETER_NAME = /^T\d+$/;

type ForeignModule = { readonly id: ModuleId; readonly alias: string; readonly structs: Set<string> };

/**
 * Chooses short names as an author would: imported structs go by their name, by `module::Name` where two share it, and of two
 * modules with one name the second is renamed (`use 0x2::pool as pool_2`). All dependencies are imported, since bodies use them.
 */
export function chooseNames(abi: ModuleAbi, shown: ShownItems) {
  const mentioned = mentionedStructs(abi, shown);
  const modules = foreignModules(abi, mentioned);
  const owners = new Map<string, number>();
  for (const { structs } of modules.values()) for (const name of structs) owners.set(name, (owners.get(name) ?? 0) + 1);
  const own = new Set(abi.structs.map(({ name }) => name));
  const isImported = (name: string): boolean => owners.get(name) === 1 && !own.has(name) && !PARAMETER_NAME.test(name);

  const nameOf = (type: StructType): string => {
    const { module, name } = type;
    if (isSameModule(abi, module)) return PARAMETER_NAME.test(name) ? formatItemId(type) : name;
    if (isImported(name)) return name;
    return `${modules.get(formatModuleId(module))?.alias ?? formatModuleId(module)}::${name}`;
  };
  return {
    uses: [...modules.values()].map((module) => useLine(module, isImported)),
    typeText: (type: MoveType): string => formatMoveTypeAs(type, nameOf),
  };
}

function useLine({ id, alias, structs }: ForeignModule, isImported: (name: string) => boolean): string {
  const as = alias === id.name ? "" : ` as ${alias}`;
  const imported = [...structs].filter(isImported).sort();
  if (imported.length === 0) return `use ${formatModuleId(id)}${as};`;
  const names = imported.length < structs.size ? [`Self${as}`, ...imported] : imported;
  return `use ${formatModuleId(id)}::${names.length === 1 ? names[0] : `{${names.join(", ")}}`};`;
}

/** Other modules in the order of their addresses and names, each with a unique alias. */
function foreignModules(abi: ModuleAbi, mentioned: readonly StructType[]): ReadonlyMap<string, ForeignModule> {
  const ids = new Map<string, ModuleId>();
  for (const id of [...abi.dependencies, ...mentioned.map(({ module }) => module)]) {
    if (!isSameModule(abi, id)) ids.set(formatModuleId(id), id);
  }
  const order = [...ids.values()].sort(compareModuleIds);
  const taken = new Map([[abi.name, 2]]);
  const modules = new Map<string, ForeignModule>();
  for (const id of order) {
    const alias = freeAlias(id.name, taken);
    modules.set(formatModuleId(id), { id, alias, structs: new Set() });
  }
  for (const { module, name } of mentioned) modules.get(formatModuleId(module))?.structs.add(name);
  return modules;
}

/** The name, or the name with the first number from 2 that makes it unique. `taken` holds the number to try next for each name. */
function freeAlias(name: string, taken: Map<string, number>): string {
  let alias = name;
  // Thousands of accounts can have a module of one name, so each search continues where the last one ended.
  for (let n = taken.get(name) ?? 2; taken.has(alias); n++) {
    alias = `${name}_${n}`;
    taken.set(name, n + 1);
  }
  taken.set(alias, taken.get(alias) ?? 2);
  return alias;
}

function mentionedStructs(abi: ModuleAbi, { functions, structs }: ShownItems): StructType[] {
  const types = [
    ...functions.flatMap(({ params, returns }) => [...params, ...returns]),
    ...structs.flatMap(allFields).map(({ type }) => type),
  ];
  const foreign = structsIn(types).filter(({ module }) => !isSameModule(abi, module));
  return [...new Map(foreign.map((type) => [formatItemId(type), type])).values()];
}
