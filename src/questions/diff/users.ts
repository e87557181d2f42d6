import type { User, Users } from "../../abi/compare/usage.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { memoize } from "../../base/memoize.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import { type ModuleUses, usesIn } from "../uses/module-uses.ts";

/** Who refers to a module's functions and structs at a snapshot, and from which functions, read from the bytecode of dependent modules. */
export function usersAt(archive: ModuleArchive, version: bigint): Users {
  // All are kept: the framework's have all modules as dependents, and each item asks all of them again.
  const usesOf = memoize(Number.POSITIVE_INFINITY, String, async (bytecode: bigint) => usesIn(await archive.bytecode({ bytecode })));
  const referringTo = memoize(Number.POSITIVE_INFINITY, formatModuleId, (module: ModuleId) => archive.referring(module, version));
  return async (module, item) => {
    const name = `${formatModuleId(module)}::${item.name}`;
    const users: User[] = [];
    for (const { bytecode, ...id } of await referringTo(module)) {
      const uses = await usesOf(bytecode);
      // A dependent that cannot be read may use anything of the module.
      users.push(...(uses === undefined ? [{ address: id.address, name: id.name }] : asUser(id, uses, item.kind, name)));
    }
    return users;
  };
}

/** A module as a user of an item (`item` is its full name) by what it uses; empty where it does not refer to it. */
export function asUser({ address, name }: ModuleId, uses: ModuleUses, kind: string, item: string): User[] {
  if (!uses[kind === "struct" ? "structs" : "functions"].has(item)) return [];
  return [{ address, name, ...(kind === "function" ? { functions: [...(uses.callers.get(item) ?? [])] } : {}) }];
}
