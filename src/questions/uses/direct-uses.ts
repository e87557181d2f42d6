import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { parseCode } from "../../move/code/read-code.ts";
import { DecodeError } from "../../move/decode-error.ts";
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
