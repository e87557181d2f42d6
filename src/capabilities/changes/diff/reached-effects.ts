import { memoize } from "../../../core/base/async.ts";
import type { ModuleArchive, StandingCode } from "../../../core/db/archive/read/module-archive.ts";
import { readFunctions } from "../../../core/move/code/read-code.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { formatItemId, itemNameOf, type ModuleId, moduleNamed, moduleNameOf } from "../../../core/move/module-id.ts";
import { CHANGING } from "../../effects/compare-effects.ts";
import { effectText } from "../../effects/fact.ts";
import { type Counts, ModuleEffects } from "../../effects/module-effects.ts";
import type { RuleFinding } from "../compare/finding.ts";
import type { LoadedModule } from "../compare/sides.ts";
import { itemsOf, silenced } from "../compare/usage.ts";

/** What stands on the newer side in place of a snapshot's module: that of a build, or of files. Undefined where nothing does. */
export type InPlace = (module: ModuleId) => Promise<LoadedModule | undefined>;

/** What a function does with all that it reaches in all modules, as a set of texts; undefined where that cannot be told. */
type ReachedEffects = (fn: string) => Promise<ReadonlySet<string> | undefined>;

/** Rows and contents of modules of one version that are kept, and functions that are followed from one. */
const [ROWS_KEPT, MODULES_KEPT, FUNCTIONS_MAX] = [5_000, 100, 2_000];

/** Modules at a version, each looked up once. */
export function modulesOf(archive: ModuleArchive, version: bigint): (id: string) => Promise<StandingCode | undefined> {
  return memoize(ROWS_KEPT, String, async (id: string) => (await archive.standingAmong([moduleNamed(id)], version))[0]);
}

/**
 * Follows calls through modules, of which `bytesOf` has the bytecode by their names. Type arguments do not count, nor how often anything is
 * done; `counts` has how often, within the function's own module.
 */
export function reachedEffects(bytesOf: (id: string) => Promise<Uint8Array | undefined>): {
  readonly reached: ReachedEffects;
  readonly counts: (fn: string) => Promise<Counts>;
} {
  const effectsOf = memoize(MODULES_KEPT, String, async (id: string): Promise<ModuleEffects | undefined> => {
    const bytes = await bytesOf(id);
    return bytes && ifDecodable(() => new ModuleEffects(moduleNamed(id), readFunctions(bytes)));
  });
  const reached: ReachedEffects = async (fn) => {
    const found = new Set<string>();
    const reached = new Set([fn]);
    for (const name of reached) {
      const [id, item] = [moduleNameOf(name), itemNameOf(name)];
      const effects = await effectsOf(id);
      if (reached.size > FUNCTIONS_MAX) return undefined;
      // What is not known is the same as long as it stands behind the same name.
      if (effects?.functions.has(item) !== true) found.add(`unknown ${name}`);
      const facts = effects === undefined ? [] : ifDecodable(() => effects.facts(item));
      if (facts === undefined) return undefined;
      for (const fact of facts) {
        if (fact.kind === "calls" || fact.kind === "checks") reached.add(fact.name);
        else found.add(effectText(id, fact));
      }
    }
    return found;
  };
  /** Without what depends on the compiler. */
  const counts = async (fn: string): Promise<Counts> => {
    const effects = await effectsOf(moduleNameOf(fn));
    const found = effects && ifDecodable(() => effects.counts(itemNameOf(fn)));
    return found && new Map([...found].filter(([key]) => !CHANGING.test(key)));
  };
  return { reached, counts };
}

function reachedEffectsAt(archive: ModuleArchive, version: bigint, inPlace?: InPlace): ReachedEffects {
  const stored = modulesOf(archive, version);
  return reachedEffects(async (id) => {
    const own = await inPlace?.(moduleNamed(id));
    if (own !== undefined) return "module" in own ? own.module.bytes : undefined;
    const module = await stored(id);
    return module && archive.bytecode(module);
  }).reached;
}

/** Whether any of some effects, or of what a call among them leads to, is among what a function does otherwise with all that it reaches. */
export type Differs = (fn: string, effects: readonly string[]) => Promise<boolean>;

/** The same of two versions; true where it cannot be told. */
export function differsBetween(archive: ModuleArchive, from: bigint, to: bigint, inPlace?: InPlace): Differs {
  const sides = [reachedEffectsAt(archive, from), reachedEffectsAt(archive, to, inPlace)] as const;
  const reached = memoize(FUNCTIONS_MAX, String, (fn: string) => Promise.all(sides.map((side) => side(fn))));
  const differenceOf = memoize(FUNCTIONS_MAX, String, async (fn: string) => {
    const [was, is] = await reached(fn);
    return was && is && new Set([...was].filter((effect) => !is.has(effect)).concat([...is].filter((effect) => !was.has(effect))));
  });
  return async (fn, effects) => {
    const difference = await differenceOf(fn);
    if (difference === undefined || effects.some((effect) => difference.has(effect))) return true;
    if (difference.size === 0) return false;
    for (const effect of effects) {
      const [, callee] = /^(?:calls|checks) (.+)$/.exec(effect) ?? [];
      const behind = callee === undefined ? [] : await reached(callee);
      if (behind.some((of) => of === undefined || [...of].some((one) => difference.has(one)))) return true;
    }
    return false;
  };
}

/**
 * A finding between two snapshots; silent where what a function of the module does no longer, or now, one of another module that it
 * reaches did, or does: calls that a compiler put into their callers.
 */
export async function acrossModules(module: ModuleId, finding: RuleFinding, differs: Differs): Promise<RuleFinding> {
  if (finding.effects === undefined) return finding;
  for (const { name } of itemsOf(finding))
    if (await differs(formatItemId({ module, name: name as string }), finding.effects)) return finding;
  return silenced(finding);
}
