import { memoize } from "../../../core/base/async.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { formatModuleId, isSameModule, type ModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { referring } from "../../uses/dependents.ts";
import type { ModuleDifference } from "../compare/difference.ts";
import type { RuleFinding } from "../compare/finding.ts";
import { findLinkProblems, type LinkedModule } from "../compare/linking.ts";
import { type User, type Users, type WeighedFinding, weighByUsage, weighedModules } from "../compare/usage.ts";
import { loadContent } from "../judge/load-content.ts";
import { acrossModules, type Differs, differsBetween, type InPlace } from "./reached-effects.ts";
import { type Referrer, referrersAt } from "./referrers.ts";

/** How findings between two snapshots weigh, and what functions do otherwise. */
export type Weighing = {
  readonly weigh: (module: ModuleId, finding: RuleFinding) => Promise<WeighedFinding>;
  readonly differs: Differs;
};

const nothing: InPlace = async () => undefined;

/**
 * Weighs findings, for all commands and pages in one way: calls that only moved between modules are no news, and what breaks counts for
 * those who do not link with the newer side: the snapshot `to`, with what stands in place of its modules. Without `from` the older side is
 * no snapshot of the archive.
 */
export function weighingAt(
  archive: ModuleArchive,
  { from, to }: { readonly from: bigint | undefined; readonly to: bigint },
  {
    differences = [],
    inPlace = nothing,
  }: { readonly differences?: readonly ModuleDifference[]; readonly inPlace?: InPlace | undefined } = {},
): Weighing {
  const users = usersAt(archive, to, inPlace, weighedModules(differences));
  const differs: Differs = from === undefined ? async () => true : differsBetween(archive, from, to, inPlace);
  return { differs, weigh: async (module, finding) => weighByUsage(module, await acrossModules(module, finding, differs), users) };
}

/**
 * Who refers to a module's functions and structs, and from which functions, read from the bytecode of dependent modules. For a change of
 * the interface only those count that do not link with it: who was changed along with it, or calls nothing of it any more, loses nothing.
 */
export function usersAt(archive: ModuleArchive, version: bigint, inPlace: InPlace = nothing, expected: readonly ModuleId[] = []): Users {
  /** A module's bytes, or those in their place; undefined where there is something else. */
  const bytesOf = async (id: ModuleId, stored: () => Uint8Array | Promise<Uint8Array>): Promise<Uint8Array | undefined> => {
    const own = await inPlace(id);
    if (own === undefined) return stored();
    return "module" in own ? own.module.bytes : undefined;
  };
  const referrers = referrersAt(archive, version, expected, bytesOf);
  const most = Number.POSITIVE_INFINITY;
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
    (id: ModuleId, _: bigint, module: ModuleId, isGone: boolean) => `${formatModuleId(id)} ${formatModuleId(module)} ${isGone}`,
    async (id, bytecode, module, isGone) => {
      const [bytes, target] = [await bytesOf(id, () => archive.bytecode({ bytecode })), isGone ? null : await now(module)];
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
      const problems = await unlinked(friend, stored.bytecode, module, false);
      return problems && (problems.some((problem) => problem.startsWith("function ")) ? [{ ...friend, isLost: true }] : []);
    }
    const name = `${formatModuleId(module)}::${item.name}`;
    const users: User[] = [];
    const found: readonly Referrer[] =
      item.kind === "module"
        ? (await referring(archive, module, version)).map((of) => ({ of, functions: [] }))
        : await referrers(module, item.kind === "struct" ? "struct" : "function", name);
    for (const { of, functions } of found) {
      const { bytecode } = of;
      const id = { address: of.address, name: of.name };
      const user = { ...id, ...(item.kind === "function" && functions ? { functions } : {}) };
      // A dependent that cannot be read may use anything of the module.
      const problems = isInterface && functions !== undefined ? await unlinked(id, bytecode, module, item.kind === "module") : undefined;
      if (problems === undefined) users.push(user);
      else if (problems.includes(`${item.kind} ${item.name}`) || problems.includes("module null")) users.push({ ...user, isLost: true });
    }
    return users;
  };
}
