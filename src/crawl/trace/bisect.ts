import type { OpenChange } from "../../archive/nodes/probes.ts";

/** A change whose exact version is searched for. */
export type Search = OpenChange & {
  /** Probes made by this run, and the fewest that the first interval needs: ⌈log2⌉ of its length. */
  readonly probes: number;
  readonly least: number;
};

/**
 * What became of one change that was searched for: exact; open (the run ended first); unreadable (the versions left to read are pruned);
 * behind (the node has not reached them); failed, for a reason.
 */
export type TracedChange = Search & {
  readonly state: "exact" | "open" | "unreadable" | "behind" | "failed";
  readonly reason: string | null;
};

/** The number of probes that bisecting an interval needs: ⌈log2(atOrBefore − after)⌉. */
export function leastProbes(after: bigint, atOrBefore: bigint): number {
  const length = atOrBefore - after;
  return length <= 1n ? 0 : (length - 1n).toString(2).length;
}

/** Whether no version lies between the two ends. */
export function isExact({ after, atOrBefore }: Pick<Search, "after" | "atOrBefore">): boolean {
  return after + 1n === atOrBefore;
}

/** The version to read next: the middle of what can be read, from `oldest` to `newest`; undefined when nothing is left. */
export function nextProbe(
  { after, atOrBefore }: Pick<Search, "after" | "atOrBefore">,
  { oldest, newest }: { readonly oldest: bigint; readonly newest: bigint },
): bigint | undefined {
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
