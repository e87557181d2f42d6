import { callsOf } from "../../move/code/calls.ts";
import type { FunctionHandle } from "../../move/module/function-handles.ts";
import type { CompiledModule } from "../../move/module/module.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { moduleKey } from "./module-ids.ts";

/** What one function of a module calls: names of functions by the module that holds them, each once. */
export type FunctionCallees = {
  readonly caller: string;
  readonly callees: readonly (readonly [module: ModuleId, names: readonly string[]])[];
};

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

/** As many names are looked through faster than they are put into a set. */
const FEW = 32;

/**
 * What a module's functions call, those left out that call nothing; none at all if that is too much to store.
 * @param module the same code, where it has been read before
 * @throws DecodeError
 */
export function functionCallees(code: Uint8Array, module?: CompiledModule): readonly FunctionCallees[] {
  const { module: compiled, calls } = callsOf(code, module);
  const repeated = repeatedIds(compiled.modules);
  const found: FunctionCallees[] = [];
  let size = 0;
  for (const { caller, callees } of calls) {
    const byModule = namesByModule(callees, repeated);
    for (const [, names] of byModule) size += names.reduce((sum, name) => sum + name.length, caller.name.length);
    if (size > CALLS_SIZE_MAX) return [];
    found.push({ caller: caller.name, callees: byModule });
  }
  return found;
}

/** The row of a function's calls. `numberOf` gives a module's number in the database. */
export function callRow({ caller, callees }: FunctionCallees, numberOf: (module: ModuleId) => number): CallRow {
  return [caller, JSON.stringify(callees.map(([module, names]) => [numberOf(module), names]))];
}

/** Names of functions by the module that holds them, both in the order in which they first come; each name once. */
function namesByModule(callees: readonly FunctionHandle[], repeated: ReadonlyMap<ModuleId, ModuleId>): FunctionCallees["callees"] {
  const groups = new Map<ModuleId, string[]>();
  for (const { module, name } of callees) {
    const id = repeated.get(module) ?? module;
    const names = groups.get(id);
    if (names === undefined) groups.set(id, [name]);
    else if (names.length >= FEW || !names.includes(name)) names.push(name);
  }
  return Array.from(groups, ([id, names]) => [id, names.length < FEW ? names : [...new Set(names)]]);
}

/** Rows of a module's table of modules that repeat an earlier one, each with that one; in real modules there are none. */
function repeatedIds(modules: readonly ModuleId[]): ReadonlyMap<ModuleId, ModuleId> {
  const repeated = new Map<ModuleId, ModuleId>();
  const first = new Map<string, ModuleId>();
  for (const id of modules) {
    const key = moduleKey(id);
    const known = first.get(key);
    if (known === undefined) first.set(key, id);
    else repeated.set(id, known);
  }
  return repeated;
}
