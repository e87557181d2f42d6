import type { Address } from "../../move/address.ts";

/**
 * One change being narrowed down: the old value stood at `after`, the new one at `atOrBefore`, and which version between
 * brought it is sought. Values are a module's SHA-256 or an account's authentication key in hex, null when absent.
 */
export type Search = {
  readonly address: Address;
  /** The module's name; undefined when an authentication key is sought. */
  readonly module: string | undefined;
  readonly after: bigint;
  readonly atOrBefore: bigint;
  readonly from: string | null;
  readonly to: string | null;
  /** Probes that it took in this run, and how many the interval that it began with needs at least: ⌈log2⌉ of its length. */
  readonly probes: number;
  readonly least: number;
};

/** What limits where a search may look: the oldest readable version, and one that stays readable until the search is over. */
export type Ground = { readonly oldest: bigint; readonly safe: bigint };

/** The number of probes that halving an interval needs: ⌈log2(atOrBefore − after)⌉. */
export function leastProbes(after: bigint, atOrBefore: bigint): number {
  const length = atOrBefore - after;
  return length <= 1n ? 0 : (length - 1n).toString(2).length;
}

/** Whether no version lies between the two ends. */
export function isExact({ after, atOrBefore }: Pick<Search, "after" | "atOrBefore">): boolean {
  return after + 1n === atOrBefore;
}

/**
 * The version to read next; undefined when the search is over, or when nothing between its ends can be read any more.
 *
 * The middle, as a rule. But a left end that will be gone before the search is over comes first (unless `isSecured`): one
 * probe at a safe version either moves the left end there, or tells that the change lies in the part that is dying.
 */
export function nextProbe(
  { after, atOrBefore }: Pick<Search, "after" | "atOrBefore">,
  ground: Ground,
  isSecured: boolean,
): bigint | undefined {
  if (!isSecured && after < ground.safe && ground.safe < atOrBefore) return ground.safe;
  // The lowest version that may count as the left end: what lies below it cannot be read, so it is never the middle.
  const low = after < ground.oldest - 1n ? ground.oldest - 1n : after;
  return atOrBefore - low > 1n ? low + (atOrBefore - low) / 2n : undefined;
}

/** What a probe leaves of a search: the half that still holds the change or, when a third value stood there, two changes. */
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
