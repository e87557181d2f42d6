import type { CompiledModule } from "../../move/module/module.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { moduleKey } from "./module-ids.ts";

/** A function that another calls, or makes a function value of. */
export type Callee = { readonly module: ModuleId; readonly name: string };

/** What a module's functions call, by the caller's name; functions that call nothing are left out. */
export type ModuleCalls = ReadonlyMap<string, readonly Callee[]>;

/**
 * Characters of names in the calls of one module. The largest real framework module has 14,000. A call names its function by a
 * number, so a module built for it could have a hundred million.
 */
const CALLS_SIZE_MAX = 1024 * 1024;

/** What a module's functions call, each callee once; undefined where that is too much to store. */
export function moduleCalls(module: CompiledModule): ModuleCalls | undefined {
  const found = new Map<string, readonly Callee[]>();
  let size = 0;
  for (const { handle, callees } of module.functions) {
    if (callees.length === 0) continue;
    size += handle.name.length;
    // A plain function and a generic one of the same name are two handles.
    const unique = new Map<string, Callee>();
    for (const { module: holder, name } of callees) {
      size += name.length;
      if (size > CALLS_SIZE_MAX) return undefined;
      unique.set(`${moduleKey(holder)}::${name}`, { module: holder, name });
    }
    const sorted = [...unique].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    found.set(
      handle.name,
      sorted.map(([, callee]) => callee),
    );
  }
  return found;
}
