import type { Users } from "../../abi/compare/usage.ts";
import { type References, readReferences } from "../../abi/references.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { ModuleArchive } from "../../store/read/module-archive.ts";

/** Who refers to a module's functions and structs at a snapshot, from the bytecode of the modules that depend on it. */
export function usersAt(archive: ModuleArchive, version: bigint): Users {
  const known = new Map<bigint, References | undefined>();
  const referencesOf = async (bytecode: bigint): Promise<References | undefined> => {
    if (known.has(bytecode)) return known.get(bytecode);
    const content = await archive.content({ bytecode });
    const references = content.kind === "decoded" ? readReferences(content.bytes) : undefined;
    known.set(bytecode, references);
    return references;
  };
  return async (module, item) => {
    const used = `${module.address}::${module.name}::${item.name}`;
    const users: ModuleId[] = [];
    for (const { address, name, bytecode } of await archive.dependents(module, version)) {
      const references = await referencesOf(bytecode);
      // A dependent that cannot be read may use anything of the module.
      const isUser = references === undefined || (item.kind === "struct" ? references.structs : references.functions).has(used);
      if (isUser) users.push({ address, name });
    }
    return users;
  };
}
