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
