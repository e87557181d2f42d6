import type { Users } from "../../../abi/compare/usage.ts";
import { type References, readReferences } from "../../../abi/references.ts";
import type { ModuleArchive } from "../../../store/read/module-archive.ts";

/** Who refers to a module's functions and structs at a snapshot, from the bytecode of the modules that depend on it. */
export function usersAt(archive: ModuleArchive, version: bigint): Users {
  const known = new Map<bigint, References | undefined>();
  const referencesOf = (bytecode: bigint): References | undefined => {
    if (known.has(bytecode)) return known.get(bytecode);
    const content = archive.content({ bytecode });
    const references = content.kind === "decoded" ? readReferences(content.bytes) : undefined;
    known.set(bytecode, references);
    return references;
  };
  return (module, item) =>
    archive
      .dependents(module, version)
      .filter(({ bytecode }) => {
        const references = referencesOf(bytecode);
        const name = `${module.address}::${module.name}::${item.name}`;
        // A dependent that cannot be read may use anything of the module.
        return references === undefined || (item.kind === "struct" ? references.structs : references.functions).has(name);
      })
      .map(({ address, name }) => ({ address, name }));
}
