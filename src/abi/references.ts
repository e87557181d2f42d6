import { readModule } from "../move/module/module.ts";
import { formatModuleId, isSameModule } from "../move/module-id.ts";
import type { ModuleId } from "../move/types/types.ts";

/** Functions and structs of other modules that a module refers to, as `0x1::coin::transfer`. */
export type References = { readonly functions: ReadonlySet<string>; readonly structs: ReadonlySet<string> };

/**
 * The functions that a module calls or makes function values of, and the structs that it names, in its code too. Calls
 * through function values are not visible. Throws `DecodeError`.
 */
export function readReferences(bytes: Uint8Array): References {
  const { self, functionHandles, structHandles } = readModule(bytes);
  const isForeign = (module: ModuleId): boolean => !isSameModule(module, self);
  return {
    functions: new Set(
      functionHandles.filter(({ module }) => isForeign(module)).map(({ module, name }) => `${formatModuleId(module)}::${name}`),
    ),
    structs: new Set(structHandles.filter(({ plain }) => isForeign(plain.module)).map(({ plain }) => plain.text)),
  };
}
