/**
 * Which of some versions to read next, so that equal ends end the search and different ends are split: first the outermost that
 * has no snapshot beyond it, then the middle of the widest stretch between two snapshots. Of `versions` between two snapshots that
 * differ, reading one by one costs as many snapshots as there are versions; this costs their logarithm for each change.
 *
 * @param versions not empty, oldest first
 * @param sealed versions of sealed snapshots, oldest first
 */
export function nextByHalving(versions: readonly bigint[], sealed: readonly bigint[]): bigint {
  const [first, last] = [versions[0] as bigint, versions.at(-1) as bigint];
  if (!sealed.some((version) => version <= first)) return first;
  if (!sealed.some((version) => version >= last)) return last;
  let best = first;
  let widest = -1n;
  for (const [index, from] of sealed.entries()) {
    const to = sealed[index + 1] ?? last;
    const inside = versions.filter((version) => version >= from && version <= to);
    if (inside.length === 0 || to - from <= widest) continue;
    widest = to - from;
    best = inside[Math.floor(inside.length / 2)] as bigint;
  }
  return best;
}

/**
 * Which of some versions to read next where the oldest are lost first, and where accounts are inferred between equal snapshots at most `maxApart` versions
 * apart (undefined for any distance). The oldest version that has no snapshot below it comes first. Above the newest snapshot below the oldest one left, the
 * next is the furthest that is near enough to it; between two snapshots that are near enough and differ, it is the middle. So a search that is cut short has
 * settled the versions that would have been lost first.
 *
 * @param versions not empty, oldest first
 * @param sealed versions of sealed snapshots, oldest first
 */
export function nextFromOldest(versions: readonly bigint[], sealed: readonly bigint[], maxApart: bigint | undefined): bigint {
  const first = versions[0] as bigint;
  const before = sealed.findLast((version) => version < first);
  if (before === undefined) return first;
  const after = sealed.find((version) => version > first);
  const isNear = (version: bigint): boolean => maxApart === undefined || version - before <= maxApart;
  const between = versions.filter((version) => isNear(version) && (after === undefined || version < after));
  const next = after !== undefined && isNear(after) ? between[between.length >> 1] : between.at(-1);
  return next ?? first;
}
