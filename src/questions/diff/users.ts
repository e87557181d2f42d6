import type { User, Users } from "../../abi/compare/usage.ts";
import { type References, readReferences } from "../../abi/references.ts";
import type { ModuleArchive, StandingCode } from "../../archive/read/module-archive.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { type CallersByCallee, callersIn } from "../uses/callers-in.ts";

/** What a module uses of others: what it refers to, and which of its functions call what. */
export type ModuleUses = { readonly references: References; readonly callers: CallersByCallee };

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
    const referring = modules.get(key) ?? (await archive.referring(module, version));
    modules.set(key, referring);
    const name = `${key}::${item.name}`;
    const users: User[] = [];
    for (const { bytecode, ...id } of referring) {
      const uses = await usesOf(bytecode);
      const user = { address: id.address, name: id.name };
      // A dependent that cannot be read may use anything of the module.
      if (uses === undefined) users.push(user);
      else if (refersTo(uses, item.kind, name)) users.push({ ...user, ...callersOf(uses, item.kind, name) });
    }
    return users;
  };
}

/** What a module uses; undefined where its bytecode cannot be read. */
export function usesIn(bytes: Uint8Array): ModuleUses | undefined {
  const callers = callersIn(bytes);
  const references = ifDecodable(() => readReferences(bytes));
  return callers === undefined || references === undefined ? undefined : { references, callers };
}

export function refersTo({ references }: ModuleUses, kind: string, item: string): boolean {
  return (kind === "struct" ? references.structs : references.functions).has(item);
}

export function callersOf({ callers }: ModuleUses, kind: string, item: string): Pick<User, "functions"> {
  return kind === "function" ? { functions: callers.get(item) ?? [] } : {};
}
