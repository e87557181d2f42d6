/**
 * Which of `versions` (not empty, oldest first) to read next: the outermost without a snapshot beyond it, then the middle of the
 * widest stretch. Between two snapshots that differ this costs a logarithm for each change.
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
 * Which of `versions` (not empty, oldest first) to read next where the oldest are lost first and accounts are inferred between
 * equal snapshots at most `maxApart` apart (undefined: any). A search cut short has settled the oldest.
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
