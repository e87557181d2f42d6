import type { FunctionHandle } from "../../move/module/function-handles.ts";
import type { CompiledModule } from "../../move/module/module.ts";
import type { ModuleId } from "../../move/types/types.ts";

/** What one function of a module calls, each function once. */
export type FunctionCallees = { readonly caller: string; readonly callees: readonly FunctionHandle[] };

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

/** What a module's functions call, those left out that call nothing; none at all if that is too much to store. */
export function functionCallees(module: CompiledModule): readonly FunctionCallees[] {
  const found: FunctionCallees[] = [];
  let size = 0;
  for (const { handle, callees } of module.functions) {
    if (callees.length === 0) continue;
    size += handle.name.length;
    for (const { name } of callees) size += name.length;
    if (size > CALLS_SIZE_MAX) return [];
    found.push({ caller: handle.name, callees });
  }
  return found;
}

/**
 * The row of a function's calls: names by the module that holds them, both in the order in which they first come, each name
 * once, since a plain function and a generic one of the same name are two handles. `numberOf` gives a module's number in the database.
 */
export function callRow({ caller, callees }: FunctionCallees, numberOf: (module: ModuleId) => number): CallRow {
  const groups = new Map<number, string[]>();
  for (const { module, name } of callees) {
    const number = numberOf(module);
    const names = groups.get(number);
    if (names === undefined) groups.set(number, [name]);
    else if (names.length >= FEW || !names.includes(name)) names.push(name);
  }
  // Identifiers have nothing that JSON escapes, so that the text is put together.
  const lists = Array.from(groups, ([number, names]) => `[${number},["${unique(names).join('","')}"]]`);
  return [caller, `[${lists.join(",")}]`];
}

function unique(names: readonly string[]): readonly string[] {
  return names.length < FEW ? names : [...new Set(names)];
}
