import { memoize } from "../../../core/base/async.ts";
import { chunks } from "../../../core/base/lists.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { parseModule } from "../../../core/move/module/module.ts";
import { compareModuleIds, formatModuleId, type ItemId, isSameModule, type ModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { referring } from "../../uses/dependents.ts";
import type { ModuleDifference } from "../compare/difference.ts";
import type { RuleFinding } from "../compare/finding.ts";
import { findLinkProblems, type LinkedModule } from "../compare/linking.ts";
import { loadContent } from "../compare/sides.ts";
import { type User, type Users, type WeighedFinding, weighByUsage, weighedModules } from "../compare/usage.ts";
import { acrossModules, type Differs, differsBetween, type InPlace } from "./reached-effects.ts";

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

/** A module that refers to an item, and its functions that call it; undefined of one that cannot be read, and may use anything. */
type Referrer = { readonly of: ModuleId & { readonly bytecode: bigint }; readonly functions: readonly string[] | undefined };

/** Bytecodes that are read at once. */
const READ_AT_ONCE = 100;

/**
 * Who refers to a module's functions and structs, and from which functions, read from the bytecode of dependent modules, in the order of
 * accounts and names. For a change of the interface only those count that do not link with it: who was changed along with it, or calls
 * nothing of it any more, loses nothing. Who refers to several of the modules `expected` is read once.
 */
export function usersAt(archive: ModuleArchive, version: bigint, inPlace: InPlace = nothing, expected: readonly ModuleId[] = []): Users {
  const most = Number.POSITIVE_INFINITY;
  /** A module's bytes, or those in their place; undefined where there is something else. */
  const bytesOf = async (id: ModuleId, stored: () => Uint8Array | Promise<Uint8Array>): Promise<Uint8Array | undefined> => {
    const own = await inPlace(id);
    if (own === undefined) return stored();
    return "module" in own ? own.module.bytes : undefined;
  };
  const names = new Set(expected.map(formatModuleId));
  const referrersOf = memoize(
    most,
    (module: ModuleId) => (names.has(formatModuleId(module)) ? "" : formatModuleId(module)),
    (module) => readReferrers(archive, version, names.has(formatModuleId(module)) ? expected : [module], bytesOf),
  );
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
    let found: readonly Referrer[];
    if (item.kind === "module") found = (await referring(archive, module, version)).map((of) => ({ of, functions: [] }));
    else {
      const [referrers, id] = [await referrersOf(module), formatModuleId(module)];
      const [readable = [], unreadable = []] = [referrers.get(`${item.kind} ${id}::${item.name}`), referrers.get(id)];
      found = unreadable.length === 0 ? readable : [...readable, ...unreadable].sort((a, b) => compareModuleIds(a.of, b.of));
    }
    const users: User[] = [];
    for (const { of, functions } of found) {
      const { bytecode, address, name } = of;
      const user = { address, name, ...(item.kind === "function" && functions ? { functions } : {}) };
      // A dependent that cannot be read may use anything of the module.
      const problems = isInterface && functions !== undefined ? await unlinked(user, bytecode, module, item.kind === "module") : undefined;
      if (problems === undefined) users.push(user);
      else if (problems.includes(`${item.kind} ${item.name}`) || problems.includes("module null")) users.push({ ...user, isLost: true });
    }
    return users;
  };
}

/**
 * Who refers to items of modules (`function 0x1::coin::withdraw`), and under a module's own name who cannot be read. The framework's
 * modules have all others as dependents: of each only what it uses of these modules is kept.
 */
async function readReferrers(
  archive: ModuleArchive,
  version: bigint,
  modules: readonly ModuleId[],
  bytesOf: (id: ModuleId, stored: () => Uint8Array) => Promise<Uint8Array | undefined>,
): Promise<ReadonlyMap<string, readonly Referrer[]>> {
  const dependents = new Map<string, { readonly of: Referrer["of"]; readonly modules: string[] }>();
  for (const module of modules)
    for (const { sha256: _, ...of } of await referring(archive, module, version)) {
      const dependent = dependents.get(formatModuleId(of)) ?? { of, modules: [] };
      dependents.set(formatModuleId(of), dependent);
      dependent.modules.push(formatModuleId(module));
    }
  const sorted = [...dependents.values()].sort((a, b) => compareModuleIds(a.of, b.of));
  dependents.clear();
  const found = new Map<string, Referrer[]>();
  const add = (name: string, referrer: Referrer): void => {
    if (found.get(name)?.push(referrer) === undefined) found.set(name, [referrer]);
  };
  const lists = new Map<string, readonly string[]>();
  for (const some of chunks(sorted, READ_AT_ONCE)) {
    const stored = await archive.bytecodes(some.map(({ of }) => of.bytecode));
    for (const { of, modules } of some) {
      const bytes = await bytesOf(of, () => stored(of.bytecode));
      const uses = bytes && usesOf(bytes, modules);
      if (uses === undefined) for (const module of modules) add(module, { of, functions: undefined });
      for (const [item, names] of uses ?? []) {
        // Names are few, and those of functions that call the same are mostly the same: each list is kept once.
        const functions = lists.get(names.join(" ")) ?? names;
        lists.set(names.join(" "), functions);
        add(item, { of, functions });
      }
    }
  }
  return found;
}

/** What a module names of some others (`function 0x1::coin::withdraw`), and its functions that call it; undefined if it cannot be read. */
function usesOf(bytes: Uint8Array, modules: readonly string[]): ReadonlyMap<string, readonly string[]> | undefined {
  const module = ifDecodable(() => parseModule(bytes));
  if (module === undefined) return undefined;
  const uses = new Map<string, string[]>();
  const callersOf = new Map<object, string[]>();
  const add = (kind: string, handle: ItemId): void => {
    const name = formatModuleId(handle.module);
    if (!modules.includes(name)) return;
    const item = `${kind} ${name}::${handle.name}`;
    const callers = uses.get(item) ?? [];
    uses.set(item, callers);
    callersOf.set(handle, callers);
  };
  for (const handle of module.functionHandles) add("function", handle);
  for (const { plain } of module.structHandles) add("struct", plain);
  for (const { handle, callees } of module.functions)
    for (const callee of callees) {
      const callers = callersOf.get(callee);
      if (callers !== undefined && callers.at(-1) !== handle.name) callers.push(handle.name);
    }
  return uses;
}
