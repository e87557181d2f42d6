import type { FunctionCode } from "../../move/code/read-code.ts";
import { isSameModule, type ModuleId } from "../../move/module-id.ts";
import { type Effect, type Effects, effects, effectsOf } from "./effects.ts";
import { listNames, type Witness } from "./finding.ts";

/** A function that both versions of a module define, with other instructions. */
export type ChangedFunction = { readonly name: string; readonly was: FunctionCode; readonly is: FunctionCode };

/** What a changed function does no longer and does now; null where that has no name of its own. */
export type FunctionBehaviour = Witness & {
  /** Whether it aborts with codes that it did not have, instead of others. */
  readonly isOtherAbort: boolean;
};

export function behaviourOf({ was, is }: ChangedFunction): FunctionBehaviour {
  const [old, now] = [effectsOf(was), effectsOf(is)];
  const only = (these: Effects, those: Effects, fact: Effect): string[] =>
    [...(these.get(fact) ?? [])].filter((name) => those.get(fact)?.has(name) !== true);
  const words = (these: Effects, those: Effects): string | null =>
    effects
      .flatMap((fact) => {
        const names = listNames(only(these, those, fact));
        return names === null ? [] : [`${fact} ${names}`];
      })
      .join("; ") || null;
  const isOtherAbort = only(old, now, "aborts with").length > 0 && only(now, old, "aborts with").length > 0;
  return { before: words(old, now), after: words(now, old), isOtherAbort };
}

/** `no longer aborts with 0x1; aborts with 0x2`; empty where neither side has a name of its own. */
export function changeText({ before, after }: Witness): string {
  return [...(before === null ? [] : [`no longer ${before}`]), ...(after === null ? [] : [after])].join("; ");
}

/** How functions reach a changed one of their own module, by the shortest chain of calls: `f → g → h` by `f`. Changed ones are left out. */
export function reachingChanged(
  self: ModuleId,
  definitions: Iterable<FunctionCode["definition"]>,
  changed: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const calls = Array.from(definitions, ({ handle, callees }) =>
    callees.filter(({ module }) => isSameModule(module, self)).map((callee) => ({ caller: handle.name, callee: callee.name })),
  );
  const callers = Map.groupBy(calls.flat(), ({ callee }) => callee);
  const next = new Map<string, string | undefined>(Array.from(changed, (name) => [name, undefined]));
  // A map that grows while it is walked is walked to its end, the nearest first.
  for (const name of next.keys()) for (const { caller } of callers.get(name) ?? []) if (!next.has(caller)) next.set(caller, name);
  const chains = new Map<string, readonly string[]>();
  for (const name of next.keys()) {
    if (changed.has(name)) continue;
    const chain = [name];
    for (let to = next.get(name); to !== undefined; to = next.get(to)) chain.push(to);
    // What is said of the changed one is said of the last, so that it is the middle which is left out.
    if (chain.length > CHAIN_MAX) chain.splice(CHAIN_MAX - 2, chain.length - CHAIN_MAX + 1, "…");
    chains.set(name, chain);
  }
  return chains;
}

/** Functions of a chain that is told. */
const CHAIN_MAX = 16;
