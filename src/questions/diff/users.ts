import type { RuleFinding } from "../../abi/compare/finding.ts";
import { type User, type Users, type WeighedFinding, weighByUsage } from "../../abi/compare/usage.ts";
import { findLinkProblems, type LinkedModule } from "../../abi/linking.ts";
import { loadContent } from "../../archive/content/stored-content.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { memoize } from "../../base/async.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { formatModuleId, isSameModule, type ModuleId, moduleNamed } from "../../move/module-id.ts";
import { type ModuleUses, usesIn } from "../uses/direct-uses.ts";
import { acrossModules, type Differs, differsBetween } from "./reached-effects.ts";

/** A module after the change, as others have to link with it: null if it is gone, undefined if that is not known. */
export type LinkedWith = (module: ModuleId) => Promise<LinkedModule | null | undefined>;

/** How findings between two snapshots weigh, and what functions do otherwise. */
export type Weighing = {
  readonly weigh: (module: ModuleId, finding: RuleFinding) => Promise<WeighedFinding>;
  readonly differs: Differs;
};

/**
 * Weighs findings, for all commands and pages in one way: calls that only moved between modules are no news, and what breaks counts for
 * those who do not link with the newer side. Without `from` the older side is no snapshot of the archive.
 */
export function weighingAt(
  archive: ModuleArchive,
  { from, to }: { readonly from: bigint | undefined; readonly to: bigint },
  linkedWith: LinkedWith = linkedAt(archive, to),
): Weighing {
  const users = usersAt(archive, to, linkedWith);
  const differs: Differs = from === undefined ? async () => true : differsBetween(archive, from, to);
  return { differs, weigh: async (module, finding) => weighByUsage(module, await acrossModules(module, finding, differs), users) };
}

/**
 * Who refers to a module's functions and structs at a snapshot, and from which functions, read from the bytecode of dependent modules.
 * With `linkedWith` only those count for a change of the interface that do not link with it: who was changed along with it, or calls
 * nothing of it any more, loses nothing.
 */
export function usersAt(archive: ModuleArchive, version: bigint, linkedWith?: LinkedWith): Users {
  // All are kept: the framework's have all modules as dependents, and each item asks all of them again.
  const bytesOf = (bytecode: bigint): Promise<Uint8Array> => archive.bytecode({ bytecode });
  const usesOf = memoize(Number.POSITIVE_INFINITY, String, async (bytecode: bigint) => usesIn(await bytesOf(bytecode)));
  const referringTo = memoize(Number.POSITIVE_INFINITY, formatModuleId, (module: ModuleId) => archive.referring(module, version));
  const now = memoize(Number.POSITIVE_INFINITY, formatModuleId, async (module: ModuleId) => linkedWith?.(module));
  /** What of a module another does not link with, as `function transfer`; undefined where that cannot be told. */
  const unlinked = memoize(
    Number.POSITIVE_INFINITY,
    (bytecode: bigint, module: ModuleId) => `${bytecode} ${formatModuleId(module)}`,
    async (bytecode, module) => {
      const [bytes, target] = [await bytesOf(bytecode), await now(module)];
      if (target === undefined) return undefined;
      const find = (id: ModuleId): LinkedModule | undefined | null => (isSameModule(id, module) ? (target ?? undefined) : null);
      return ifDecodable(() => findLinkProblems(bytes, find))?.map(({ item }) => `${item.kind} ${item.name}`);
    },
  );
  return async (module, item, isInterface) => {
    if (item.kind === "friend") {
      const friend = moduleNamed(item.name ?? "");
      const stored = linkedWith === undefined ? undefined : await archive.findModule(friend, version);
      // What is known not to be there calls nothing.
      if (stored === undefined && linkedWith !== undefined && (await archive.covers(friend.address, version))) return [];
      const problems = stored && (await unlinked(stored.bytecode, module));
      return problems && (problems.some((problem) => problem.startsWith("function ")) ? [{ ...friend, isLost: true }] : []);
    }
    const name = `${formatModuleId(module)}::${item.name}`;
    const users: User[] = [];
    for (const { bytecode, ...id } of await referringTo(module)) {
      const [uses, problems] = [await usesOf(bytecode), isInterface ? await unlinked(bytecode, module) : undefined];
      // A dependent that cannot be read may use anything of the module.
      if (uses === undefined) users.push({ address: id.address, name: id.name });
      else if (problems === undefined) users.push(...asUser(id, uses, item.kind, name));
      else if (problems.includes(`${item.kind} ${item.name}`) || problems.includes("module null"))
        users.push(...asUser(id, uses, item.kind, name).map((user) => ({ ...user, isLost: true })));
    }
    return users;
  };
}

/** The modules of a snapshot, to link with. */
function linkedAt(archive: ModuleArchive, version: bigint): LinkedWith {
  return async (id) => {
    const stored = await archive.findModule(id, version);
    if (stored === undefined) return null;
    const content = loadContent(await archive.content(stored), stored.sha256);
    return "module" in content && content.partial === undefined ? content.module : undefined;
  };
}

/** A module as a user of an item (`item` is its full name) by what it uses; empty where it does not refer to it. */
function asUser({ address, name }: ModuleId, uses: ModuleUses, kind: string, item: string): User[] {
  if (!uses[kind === "struct" ? "structs" : "functions"].has(item)) return [];
  return [{ address, name, ...(kind === "function" ? { functions: Array.from(uses.callers.get(item) ?? []) } : {}) }];
}
