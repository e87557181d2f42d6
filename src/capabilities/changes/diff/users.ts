import { memoize } from "../../../core/base/async.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { formatModuleId, isSameModule, type ModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { dependentsIn } from "../../uses/dependents.ts";
import { type ModuleUses, usesIn } from "../../uses/direct-uses.ts";
import type { RuleFinding } from "../compare/finding.ts";
import { findLinkProblems, type LinkedModule } from "../compare/linking.ts";
import type { LoadedModule } from "../compare/sides.ts";
import { type User, type Users, type WeighedFinding, weighByUsage } from "../compare/usage.ts";
import { loadContent } from "../judge/load-content.ts";
import { acrossModules, type Differs, differsBetween, type InPlace } from "./reached-effects.ts";

/** How findings between two snapshots weigh, and what functions do otherwise. */
export type Weighing = {
  readonly weigh: (module: ModuleId, finding: RuleFinding) => Promise<WeighedFinding>;
  readonly differs: Differs;
};

/** Bytecodes that are read at once. */
const READ_AT_ONCE = 100;

const nothing: InPlace = async () => undefined;

/**
 * Weighs findings, for all commands and pages in one way: calls that only moved between modules are no news, and what breaks counts for
 * those who do not link with the newer side: the snapshot `to`, with what stands in place of its modules. Without `from` the older side is
 * no snapshot of the archive.
 */
export function weighingAt(
  archive: ModuleArchive,
  { from, to }: { readonly from: bigint | undefined; readonly to: bigint },
  inPlace: InPlace = nothing,
): Weighing {
  const users = usersAt(archive, to, inPlace);
  const differs: Differs = from === undefined ? async () => true : differsBetween(archive, from, to, inPlace);
  return { differs, weigh: async (module, finding) => weighByUsage(module, await acrossModules(module, finding, differs), users) };
}

/**
 * Who refers to a module's functions and structs, and from which functions, read from the bytecode of dependent modules. For a change of
 * the interface only those count that do not link with it: who was changed along with it, or calls nothing of it any more, loses nothing.
 */
export function usersAt(archive: ModuleArchive, version: bigint, inPlace: InPlace = nothing): Users {
  const bytesOf = async (id: ModuleId, bytecode: bigint): Promise<Uint8Array | undefined> => {
    const own = await inPlace(id);
    return own === undefined ? archive.bytecode({ bytecode }) : bytesIn(own);
  };
  // All are kept: the framework's have all modules as dependents, and each item asks all of them again.
  const most = Number.POSITIVE_INFINITY;
  const uses = new Map<string, ModuleUses | undefined>();
  /** The modules that refer to one, whose uses are known then. */
  const referringTo = memoize(most, formatModuleId, async (module: ModuleId) => {
    const referring = await dependentsIn(archive).referring(module, version);
    const unread = referring.filter((id) => !uses.has(formatModuleId(id)));
    for (let done = 0; done < unread.length; done += READ_AT_ONCE) {
      const some = unread.slice(done, done + READ_AT_ONCE);
      const stored = await archive.bytecodes(some.map(({ bytecode }) => bytecode));
      for (const { bytecode, ...id } of some) {
        const own = await inPlace(id);
        const bytes = own === undefined ? stored(bytecode) : bytesIn(own);
        uses.set(formatModuleId(id), bytes && usesIn(bytes));
      }
    }
    return referring;
  });
  /** A module as others link with it: null if it is gone, undefined if that cannot be told. */
  const now = memoize(most, formatModuleId, async (id: ModuleId): Promise<LinkedModule | null | undefined> => {
    const stored = (await inPlace(id)) ?? (await archive.findModule(id, version));
    if (stored === undefined) return null;
    const loaded = "bytecode" in stored ? loadContent(await archive.content(stored), stored.sha256) : stored;
    return "module" in loaded && loaded.partial === undefined ? loaded.module : undefined;
  });
  /** What of a module another does not link with, as `function transfer`; undefined where that cannot be told. */
  const unlinked = memoize(
    most,
    (id: ModuleId, _: bigint, module: ModuleId) => `${formatModuleId(id)} ${formatModuleId(module)}`,
    async (id, bytecode, module) => {
      const [bytes, target] = [await bytesOf(id, bytecode), await now(module)];
      if (bytes === undefined || target === undefined) return undefined;
      const find = (id: ModuleId): LinkedModule | undefined | null => (isSameModule(id, module) ? (target ?? undefined) : null);
      return ifDecodable(() => findLinkProblems(bytes, find))?.map(({ item }) => `${item.kind} ${item.name}`);
    },
  );
  return async (module, item, isInterface) => {
    if (item.kind === "friend") {
      const friend = moduleNamed(item.name ?? "");
      const stored = await archive.findModule(friend, version);
      // What is known not to be there calls nothing. A new module of a build that does not link is told as that.
      if (stored === undefined) return (await archive.covers(friend.address, version)) ? [] : undefined;
      const problems = await unlinked(friend, stored.bytecode, module);
      return problems && (problems.some((problem) => problem.startsWith("function ")) ? [{ ...friend, isLost: true }] : []);
    }
    const name = `${formatModuleId(module)}::${item.name}`;
    const users: User[] = [];
    for (const { bytecode, ...id } of await referringTo(module)) {
      const [its, problems] = [uses.get(formatModuleId(id)), isInterface ? await unlinked(id, bytecode, module) : undefined];
      // A dependent that cannot be read may use anything of the module.
      if (its === undefined) users.push({ address: id.address, name: id.name });
      else if (problems === undefined) users.push(...asUser(id, its, item.kind, name));
      else if (problems.includes(`${item.kind} ${item.name}`) || problems.includes("module null"))
        users.push(...asUser(id, its, item.kind, name).map((user) => ({ ...user, isLost: true })));
    }
    return users;
  };
}

function bytesIn(loaded: LoadedModule): Uint8Array | undefined {
  return "module" in loaded ? loaded.module.bytes : undefined;
}

/** A module as a user of an item (`item` is its full name) by what it uses; empty where it does not refer to it. */
function asUser({ address, name }: ModuleId, uses: ModuleUses, kind: string, item: string): User[] {
  if (!uses[kind === "struct" ? "structs" : "functions"].has(item)) return [];
  return [{ address, name, ...(kind === "function" ? { functions: Array.from(uses.callers.get(item) ?? []) } : {}) }];
}
