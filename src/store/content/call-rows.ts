import type { FunctionHandle } from "../../move/module/function-handles.ts";
import type { CompiledModule } from "../../move/module/module.ts";
import { isSameModule } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { moduleKey } from "./module-ids.ts";

/** What one function of a module calls. */
export type FunctionCallees = { readonly caller: string; readonly callees: readonly ModuleCallees[] };

/** The functions of one module that are called, each once: their names as a JSON list. */
type ModuleCallees = { readonly module: ModuleId; readonly names: string };

/** The same as values of the columns of `function_calls` after `id`, in their order; modules are numbers in it. */
export type CallRow = readonly [caller: string, callees: string];

/**
 * Characters of the calls of one module. The largest real framework module has 14,000; since a call names its function by a
 * number, one that was built for it could have a hundred million.
 */
const CALLS_SIZE_MAX = 1024 * 1024;

/**
 * Bytes of bytecode up to which its calls are never too many: a call takes two bytes at least and counts no more than two names
 * of 255 characters.
 */
export const CALLS_COMPLETE_SIZE = 4096;

/** As many names or modules are looked through faster than they are put into a set. */
const FEW = 32;

/**
 * What a module's functions call, those left out that call nothing; none at all if that is too much to store. Nothing of the
 * decoded module is kept by it but names: what waits to be stored should be small.
 */
export function functionCallees(module: CompiledModule): readonly FunctionCallees[] {
  const found: FunctionCallees[] = [];
  let size = 0;
  for (const { handle, callees } of module.functions) {
    if (callees.length === 0) continue;
    size += handle.name.length;
    for (const { name } of callees) size += name.length;
    if (size > CALLS_SIZE_MAX) return [];
    found.push({ caller: handle.name, callees: byModule(callees) });
  }
  return found;
}

/** The row of a function's calls. `numberOf` gives a module's number in the database. */
export function callRow({ caller, callees }: FunctionCallees, numberOf: (module: ModuleId) => number): CallRow {
  let text = "";
  for (const { module, names } of callees) text += `${text === "" ? "[" : ","}[${numberOf(module)},${names}]`;
  return [caller, `${text}]`];
}

type Group = { readonly module: ModuleId; readonly names: string[] };

/**
 * Callees by the module that holds them, modules and names in the order in which they first come, each name once, since a plain
 * function and a generic one of the same name are two handles.
 */
function byModule(callees: readonly FunctionHandle[]): readonly ModuleCallees[] {
  const groups: Group[] = [];
  let byKey: Map<string, Group> | undefined;
  for (const { module, name } of callees) {
    if (byKey === undefined && groups.length >= FEW) byKey = new Map(groups.map((group) => [moduleKey(group.module), group]));
    const known = byKey === undefined ? find(groups, module) : byKey.get(moduleKey(module));
    if (known === undefined) {
      const group = { module, names: [name] };
      groups.push(group);
      byKey?.set(moduleKey(module), group);
    } else if (known.names.length >= FEW || !known.names.includes(name)) known.names.push(name);
  }
  // Identifiers have nothing that JSON escapes, so that the text is put together.
  return groups.map(({ module, names }) => ({ module, names: `["${unique(names).join('","')}"]` }));
}

function find(groups: readonly Group[], module: ModuleId): Group | undefined {
  for (const group of groups) if (group.module === module || isSameModule(group.module, module)) return group;
  return undefined;
}

function unique(names: readonly string[]): readonly string[] {
  return names.length < FEW ? names : [...new Set(names)];
}
