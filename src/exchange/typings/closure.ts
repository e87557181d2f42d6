import { isExposed, type ModuleAbi } from "../../abi/model.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { partsOf } from "../../move/types/format-type.ts";

export type TypedModule = { readonly sha256: string; readonly abi: ModuleAbi };

/** Structs that have helper types in `move.ts`, so their modules are not needed. */
const builtIn = new Set(["0x1::string::String", "0x1::option::Option", "0x1::object::Object"]);

/** The modules needed for a set of typings, in the order in which they were found, and the names of missing ones. */
export type Closure = { readonly modules: ReadonlyMap<string, TypedModule>; readonly missing: readonly string[] };

/** Collects, starting from `roots`, all modules whose structs appear in types of fields and of callable functions. */
export function closureOf(roots: readonly string[], find: (id: string) => TypedModule | undefined): Closure {
  const modules = new Map<string, TypedModule>();
  const missing: string[] = [];
  const seen = new Set(roots);
  // Iteration over a set includes the elements added meanwhile.
  for (const id of seen) {
    const module = find(id);
    if (module === undefined) missing.push(id);
    else {
      modules.set(id, module);
      for (const other of mentionedBy(module.abi)) seen.add(other);
    }
  }
  return { modules, missing };
}

function* mentionedBy(abi: ModuleAbi): Generator<string> {
  const types = [
    ...abi.functions.filter(isExposed).flatMap((fn) => [...fn.params, ...fn.returns]),
    ...abi.structs.flatMap(({ fields, variants }) => [...fields, ...variants.flatMap((variant) => variant.fields)].map(({ type }) => type)),
  ];
  for (let type = types.pop(); type !== undefined; type = types.pop()) {
    if (type.kind === "struct" && !builtIn.has(`${formatModuleId(type.module)}::${type.name}`)) yield formatModuleId(type.module);
    // Typings have no spelling for a function type, so they need none of what it names.
    if (type.kind !== "function") types.push(...partsOf(type));
  }
}
