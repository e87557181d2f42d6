import type { Effects } from "./module-effects.ts";
import type { OwnEffects } from "./own-effects.ts";

/** What a function of both versions does in each. */
export type Pair = { readonly before: Effects; readonly after: Effects };

/** How much oftener a function holds something by itself than it did: what its callees hold more is subtracted. */
export function countsOf(
  name: string,
  { before, after }: Pair,
  pairs: ReadonlyMap<string, Pair>,
  callees: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, number> | undefined {
  const [was, is] = [before.counts, after.counts];
  if (was === undefined || is === undefined) return countsByItself(before.own, after.own);
  const more = difference(is, was);
  if (more.size === 0) return more;
  // A callee may have been put into its caller, or taken out of it, so that only one side calls it.
  const ways = [(callee: string) => callsOf(before, callee), (callee: string) => callsOf(after, callee)];
  const left = ways.map((times) => {
    const own = new Map(more);
    for (const callee of callees.get(name) ?? []) {
      const pair = pairs.get(callee);
      if (pair?.before.counts === undefined || pair.after.counts === undefined) continue;
      for (const [key, by] of difference(pair.after.counts, pair.before.counts)) add(own, key, -by * times(callee));
    }
    return own;
  });
  return left.toSorted((a, b) => sizeOf(a) - sizeOf(b))[0];
}

function sizeOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, times) => sum + Math.abs(times), 0);
}

/** The same of functions that are called in a circle, where both make the same calls; undefined where it cannot be told. */
function countsByItself(was: OwnEffects, is: OwnEffects): ReadonlyMap<string, number> | undefined {
  const calls = ({ calls }: OwnEffects): string =>
    calls
      .map(({ callee }) => callee)
      .sort()
      .join(" ");
  const more = difference(is.counts, was.counts);
  return more.size === 0 || calls(was) === calls(is) ? more : undefined;
}

function callsOf({ own }: Effects, wanted: string): number {
  return own.calls.filter(({ callee, isDead }) => callee === wanted && !isDead).length;
}

function difference(is: ReadonlyMap<string, number>, was: ReadonlyMap<string, number>): Map<string, number> {
  const more = new Map(is);
  for (const [key, times] of was) add(more, key, -times);
  for (const [key, times] of more) if (times === 0) more.delete(key);
  return more;
}

function add(counts: Map<string, number>, key: string, times: number): void {
  const sum = (counts.get(key) ?? 0) + times;
  if (sum === 0) counts.delete(key);
  else counts.set(key, sum);
}
