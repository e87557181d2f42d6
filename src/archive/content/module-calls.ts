import type { FunctionHandle } from "../../move/module/function-handles.ts";
import type { CompiledModule } from "../../move/module/module.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { moduleKey } from "./module-ids.ts";

/** A function that another calls, or makes a function value of. */
export type Callee = { readonly module: ModuleId; readonly name: string };

/** What a module's functions call. */
export type ModuleCalls = {
  /** Every called function once, in the order of their full names. */
  readonly callees: readonly Callee[];
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
  // A plain function and a generic one of the same name are two handles, and hostile bytes may name a module by two.
  const names = new Map<FunctionHandle, string>();
  const byName = new Map<string, Callee>();
  let size = 0;
  for (const { handle, callees } of module.functions) {
    if (callees.length > 0) size += handle.name.length;
    for (const callee of callees) {
      size += callee.name.length;
      if (size > CALLS_SIZE_MAX) return undefined;
      if (names.has(callee)) continue;
      const name = `${moduleKey(callee.module)}::${callee.name}`;
      names.set(callee, name);
      byName.set(name, { module: callee.module, name: callee.name });
    }
  }
  const sorted = [...byName.keys()].sort();
  const placeOf = new Map(sorted.map((name, place) => [name, place]));
  const ofFunction = new Map<string, readonly number[]>();
  for (const { handle, callees } of module.functions) {
    if (callees.length === 0) continue;
    const places = new Set<number>();
    for (const callee of callees) places.add(placeOf.get(names.get(callee) as string) as number);
    ofFunction.set(
      handle.name,
      [...places].sort((a, b) => a - b),
    );
  }
  return { callees: sorted.map((name) => byName.get(name) as Callee), ofFunction };
}
