import type { User, Users } from "../../abi/compare/usage.ts";
import type { ModuleArchive, StandingCode } from "../../archive/read/module-archive.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import { type ModuleUses, usesIn } from "../uses/module-uses.ts";

/** Who refers to a module's functions and structs at a snapshot, and from which functions, read from the bytecode of dependent modules. */
export function usersAt(archive: ModuleArchive, version: bigint): Users {
  const known = new Map<bigint, ModuleUses | undefined>();
  const modules = new Map<string, readonly StandingCode[]>();
  const usesOf = async (bytecode: bigint): Promise<ModuleUses | undefined> => {
    if (!known.has(bytecode)) known.set(bytecode, usesIn(await archive.bytecode({ bytecode })));
    return known.get(bytecode);
  };
  return async (module, item) => {
    const key = formatModuleId(module);
    const referring = modules.get(key) ?? (await archive.mayRefer(module, version));
    modules.set(key, referring);
    const name = `${key}::${item.name}`;
    const users: User[] = [];
    for (const { bytecode, ...id } of referring) {
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
