import type { FunctionHandle } from "../../move/module/handles.ts";
import type { CompiledModule } from "../../move/module/module.ts";
import type { ItemId } from "../../move/module-id.ts";
import { moduleKey } from "./module-ids.ts";

export type ModuleCalls = {
  /** Every called function once, in the order of their full names. */
  readonly callees: readonly ItemId[];
  /** By the caller's name the places of what it calls in `callees`, each once, ascending; functions that call nothing are left out. */
  readonly ofFunction: ReadonlyMap<string, readonly number[]>;
};

/**
 * Characters of names in the calls of one module. The largest real framework module has 14,000. A call names its function by a
 * number, so a module built for it could have a hundred million.
 */
const CALLS_SIZE_MAX = 1024 * 1024;

/** What a module's functions call; undefined where that is too much to store. */
export function moduleCalls(module: CompiledModule): ModuleCalls | undefined {
  const named: { readonly handle: FunctionHandle; readonly name: string }[] = [];
  const places = new Map<FunctionHandle, number>();
  let size = 0;
  for (const { handle, callees } of module.functions) {
    if (callees.length > 0) size += handle.name.length;
    for (const callee of callees) {
      size += callee.name.length;
      if (size > CALLS_SIZE_MAX) return undefined;
      if (places.has(callee)) continue;
      places.set(callee, 0);
      named.push({ handle: callee, name: `${moduleKey(callee.module)}::${callee.name}` });
    }
  }
  named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  // A plain function and a generic one of the same name are two handles, and hostile bytes may name a module by two.
  const callees: ItemId[] = [];
  for (const [i, { handle, name }] of named.entries()) {
    if (i === 0 || name !== named[i - 1]?.name) callees.push(handle);
    places.set(handle, callees.length - 1);
  }
  const ofFunction = new Map<string, readonly number[]>();
  for (const { handle, callees } of module.functions)
    if (callees.length > 0) ofFunction.set(handle.name, ascending(callees.map((callee) => places.get(callee) as number)));
  return { callees, ofFunction };
}

/** Numbers in their order, each once. */
function ascending(numbers: number[]): readonly number[] {
  if (numbers.length === 1) return numbers;
  numbers.sort((a, b) => a - b);
  return numbers.some((number, i) => number === numbers[i - 1]) ? [...new Set(numbers)] : numbers;
}
