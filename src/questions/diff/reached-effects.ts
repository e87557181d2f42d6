import type { RuleFinding } from "../../abi/compare/finding.ts";
import { itemsOf } from "../../abi/compare/usage.ts";
import { type Effects, ModuleEffects } from "../../abi/effects/module-effects.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { memoize } from "../../base/memoize.ts";
import type { Address } from "../../move/address.ts";
import { readFunctions } from "../../move/code/read-code.ts";
import { DecodeError } from "../../move/decode-error.ts";
import { formatItemId, itemNameOf, type ModuleId, moduleNamed, moduleNameOf } from "../../move/module-id.ts";

/** What a function does with all that it reaches in all modules, as a set of texts; undefined where that cannot be told. */
type ReachedEffects = (fn: string) => Promise<ReadonlySet<string> | undefined>;

/** Accounts and modules of one version that are kept, and functions that are followed from one. */
const [ACCOUNTS_KEPT, MODULES_KEPT, FUNCTIONS_MAX] = [500, 500, 2_000];

/** Modules at a version, an account at a time: what one calls stands in few of them. */
export function modulesOf(archive: ModuleArchive, version: bigint): (id: string) => Promise<StoredModule | undefined> {
  const ofAccount = memoize(ACCOUNTS_KEPT, String, (address: Address) => archive.modulesAt(version, address));
  return async (id) => {
    const { address, name } = moduleNamed(id);
    return (await ofAccount(address)).find((module) => module.name === name);
  };
}

/**
 * Follows calls through modules, of which `bytesOf` has the bytecode by their names. Type arguments do not count, nor how often anything is
 * done; `counts` has how often, within the function's own module.
 */
export function reachedEffects(bytesOf: (id: string) => Promise<Uint8Array | undefined>): {
  readonly reached: ReachedEffects;
  readonly counts: (fn: string) => Promise<Effects["counts"]>;
} {
  const effectsOf = memoize(MODULES_KEPT, String, async (id: string): Promise<ModuleEffects | undefined> => {
    const bytes = await bytesOf(id);
    return bytes && ifKnown(async () => new ModuleEffects(moduleNamed(id), readFunctions(bytes)));
  });
  const ofFunction = async (fn: string): Promise<Effects | undefined> => (await effectsOf(moduleNameOf(fn)))?.of(itemNameOf(fn));
  const reached: ReachedEffects = (fn) =>
    ifKnown(async () => {
      const found = new Set<string>();
      const reached = new Set([fn]);
      for (const name of reached) {
        const id = moduleNameOf(name);
        const facts = (await ofFunction(name))?.facts;
        if (reached.size > FUNCTIONS_MAX) return undefined;
        // What is not known is the same as long as it stands behind the same name.
        if (facts === undefined) found.add(`unknown ${name}`);
        for (const { kind, name: what, isDead } of facts?.values() ?? []) {
          if (isDead) continue;
          if (kind === "calls" || kind === "checks") reached.add(what);
          else found.add(kind === "aborts" || kind === "native" ? `${id} ${kind} ${what}` : `${kind} ${what}`);
        }
      }
      return found;
    });
  return { reached, counts: (fn) => ifKnown(async () => (await ofFunction(fn))?.counts) };
}

function reachedEffectsAt(archive: ModuleArchive, version: bigint): ReachedEffects {
  const stored = modulesOf(archive, version);
  return reachedEffects(async (id) => {
    const module = await stored(id);
    return module && archive.bytecode(module);
  }).reached;
}

/** Whether functions do the same at two versions, with all that they reach; not where that cannot be told. */
export function sameBetween(archive: ModuleArchive, from: bigint, to: bigint): (fn: string) => Promise<boolean> {
  const [before, after] = [reachedEffectsAt(archive, from), reachedEffectsAt(archive, to)];
  return memoize(FUNCTIONS_MAX, String, async (fn: string) => {
    const [was, is] = [await before(fn), await after(fn)];
    return was !== undefined && is !== undefined && was.size === is.size && [...was].every((effect) => is.has(effect));
  });
}

/**
 * A finding between two snapshots; silent where what a function of the module does no longer, or now, one of another module that it
 * reaches did, or does: calls that a compiler put into their callers.
 */
export async function acrossModules(
  module: ModuleId,
  finding: RuleFinding,
  isSame: (fn: string) => Promise<boolean>,
): Promise<RuleFinding> {
  if (finding.isOfSets !== true) return finding;
  for (const { name } of itemsOf(finding)) if (!(await isSame(formatItemId({ module, name: name as string })))) return finding;
  return { ...finding, severity: Object.fromEntries(Object.keys(finding.severity).map((audience) => [audience, "silent" as const])) };
}

/** Undefined where a decoder stops. */
async function ifKnown<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
