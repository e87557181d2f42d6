import type { KnownJudgement, NarrowedJudgement, WatchedChange } from "../../work/alerts/watches.ts";

/** Changes that were not judged yet, and judged ones of which it is known more exactly now when they happened. */
type MatchedChanges = { readonly fresh: readonly WatchedChange[]; readonly tightened: readonly NarrowedJudgement[] };

/**
 * Finds the changes that were not judged before. Two are the same with the same bytecode before and after in one stretch, which
 * `trace` and older snapshots make shorter. Parts of a parted change are their own.
 */
export function matchChanges(known: readonly KnownJudgement[], changes: readonly WatchedChange[]): MatchedChanges {
  const byChange = Map.groupBy(known, nameOf);
  const taken = new Set<number>();
  const fresh: WatchedChange[] = [];
  const tightened: NarrowedJudgement[] = [];
  for (const change of changes.toSorted((a, b) => (a.atOrBeforeVersion < b.atOrBeforeVersion ? -1 : 1))) {
    const { afterVersion, atOrBeforeVersion, shownBy } = change;
    const same = byChange
      .get(nameOf(change))
      ?.find((one) => !taken.has(one.id) && one.afterVersion < atOrBeforeVersion && afterVersion < one.atOrBeforeVersion);
    if (same === undefined) {
      fresh.push(change);
      continue;
    }
    taken.add(same.id);
    if (same.afterVersion !== afterVersion || same.atOrBeforeVersion !== atOrBeforeVersion || same.shownBy !== shownBy)
      tightened.push({ id: same.id, afterVersion, atOrBeforeVersion, shownBy });
  }
  return { fresh, tightened };
}

function nameOf({ address, module, from, to }: KnownJudgement | WatchedChange): string {
  return `${address} ${module} ${from} ${to}`;
}
