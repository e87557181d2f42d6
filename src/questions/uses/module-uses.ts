import { ifDecodable } from "../../move/decode-error.ts";
import { type CompiledModule, parseModule } from "../../move/module/module.ts";
import { formatItemId, isSameModule } from "../../move/module-id.ts";

/**
 * What a module uses of others, by full names such as `0x1::coin::withdraw`: the functions that it calls or makes function values of,
 * and the structs that it names. Calls through function values are not visible.
 */
export type ForeignItems = { readonly functions: ReadonlySet<string>; readonly structs: ReadonlySet<string> };

export function foreignItems({ self, functionHandles, structHandles }: CompiledModule): ForeignItems {
  return {
    functions: new Set(functionHandles.filter(({ module }) => !isSameModule(module, self)).map(formatItemId)),
    structs: new Set(structHandles.filter(({ plain }) => !isSameModule(plain.module, self)).map(({ plain }) => plain.text)),
  };
}

/**
 * What each function of a module calls, or makes function values of, by full names: each once, in the order in which it first does. What
 * is called through a function value, and what natives call, is not in the bytecode.
 */
export function callsIn({ self, functions }: CompiledModule): ReadonlyMap<string, readonly string[]> {
  return new Map(functions.map(({ handle: { name }, callees }) => [formatItemId({ module: self, name }), callees.map(formatItemId)]));
}

/** `callers` has the names of the module's functions that call a function, by its full name. */
export type ModuleUses = ForeignItems & { readonly callers: ReadonlyMap<string, ReadonlySet<string>> };

/** What a module uses; undefined where its bytecode cannot be read. */
export function usesIn(bytes: Uint8Array): ModuleUses | undefined {
  const module = ifDecodable(() => parseModule(bytes));
  if (module === undefined) return undefined;
  const callers = new Map<string, Set<string>>();
  for (const { handle, callees } of module.functions) {
    for (const callee of callees.map(formatItemId)) callers.set(callee, (callers.get(callee) ?? new Set()).add(handle.name));
  }
  return { ...foreignItems(module), callers };
}
