import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { parseCode } from "../../move/code/read-code.ts";
import { DecodeError, ifDecodable } from "../../move/decode-error.ts";
import { type CompiledModule, parseModule } from "../../move/module/module.ts";
import { formatItemId, isSameModule, type ModuleId } from "../../move/module-id.ts";

/** How one function uses another: whether it calls it, whether it makes a function value of it, and with which type arguments. */
export type DirectUse = {
  readonly isCall: boolean;
  readonly isValue: boolean;
  /** `<0x1::aptos_coin::AptosCoin>`; those of the using function's own as `T0`. Empty where the function is not generic. */
  readonly instantiations: readonly string[];
};

/** How functions of a module are used directly: by the names of the user and of the used one. */
export type DirectUses = { readonly of: (caller: string, callee: string) => DirectUse | undefined };

/** Reads the direct uses of a module at a snapshot, from its own code and from referring modules, or from the known users only. */
export async function findDirectUses(
  archive: Pick<ModuleArchive, "around" | "bytecode">,
  module: ModuleId,
  names: ReadonlySet<string>,
  version: bigint,
  isUser: (id: ModuleId) => boolean = () => true,
): Promise<DirectUses> {
  const uses = new Map<string, { isCall: boolean; isValue: boolean; instantiations: Set<string> }>();
  const keyOf = (caller: string, callee: string): string => `${caller} ${callee}`;
  for (const stored of await archive.around(module, version)) {
    if (!isUser(stored)) continue;
    try {
      for (const { definition, instructions } of parseCode(await archive.bytecode(stored)).functions()) {
        const caller = formatItemId({ module: { address: stored.address, name: stored.name }, name: definition.handle.name });
        for (const { name, reference } of instructions) {
          if (reference?.kind !== "function" || !names.has(reference.handle.name) || !isSameModule(reference.handle.module, module))
            continue;
          const key = keyOf(caller, formatItemId({ module, name: reference.handle.name }));
          const use = uses.get(key) ?? { isCall: false, isValue: false, instantiations: new Set() };
          uses.set(key, use);
          if (name.startsWith("PackClosure")) use.isValue = true;
          else use.isCall = true;
          if (reference.typeArguments.length > 0) use.instantiations.add(`<${reference.typeArguments.map(({ text }) => text).join(", ")}>`);
        }
      }
    } catch (error) {
      // Who looks for callers names the modules that cannot be read.
      if (!(error instanceof DecodeError)) throw error;
    }
  }
  return {
    of: (caller, callee) => {
      const use = uses.get(keyOf(caller, callee));
      return use && { ...use, instantiations: [...use.instantiations] };
    },
  };
}

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
