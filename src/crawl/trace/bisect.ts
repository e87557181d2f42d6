import type { Search } from "../../work/trace/traced-change.ts";

/** The versions that a search may read: from `oldest` to `newest`, and one that is readable until the search is over. */
export type ReadableRange = { readonly oldest: bigint; readonly newest: bigint; readonly safe: bigint };

/** The number of probes that bisecting an interval needs: ⌈log2(atOrBefore − after)⌉. */
export function leastProbes(after: bigint, atOrBefore: bigint): number {
  const length = atOrBefore - after;
  return length <= 1n ? 0 : (length - 1n).toString(2).length;
}

/** Whether no version lies between the two ends. */
export function isExact({ after, atOrBefore }: Pick<Search, "after" | "atOrBefore">): boolean {
  return after + 1n === atOrBefore;
}

/**
 * The version to read next, as a rule the middle; undefined when nothing is left that can be read. Where the left end will be
 * pruned too soon, it is first a safe version (unless `isSecured`).
 */
export function nextProbe(
  { after, atOrBefore }: Pick<Search, "after" | "atOrBefore">,
  { oldest, newest, safe }: ReadableRange,
  isSecured: boolean,
): bigint | undefined {
  if (!isSecured && after < safe && safe < atOrBefore && safe <= newest) return safe;
  // Versions below cannot be read, so the middle must not be one of them.
  const low = after < oldest - 1n ? oldest - 1n : after;
  if (atOrBefore - low <= 1n) return undefined;
  const middle = low + (atOrBefore - low) / 2n;
  if (middle <= newest) return middle;
  return newest > low ? newest : undefined;
}

/** The search that is left after a probe: the half with the change in it or, when the probe found a third value, two searches. */
export function narrow(search: Search, version: bigint, value: string | null): Search[] {
  if (version <= search.after || version >= search.atOrBefore) return [search];
  const probes = search.probes + 1;
  if (value === search.from) return [{ ...search, after: version, probes }];
  if (value === search.to) return [{ ...search, atOrBefore: version, probes }];
  return [
    { ...search, atOrBefore: version, to: value, probes, least: leastProbes(search.after, version) + probes },
    { ...search, after: version, from: value, probes, least: leastProbes(version, search.atOrBefore) + probes },
  ];
}
