/**
 * The stretch of a sequence of sealed ledger versions over which one value stood. `from` is the first version of the
 * sequence at which it was seen, `to` the last, or null while it stands at the newest version of the sequence.
 */
export type Span<V> = { readonly from: bigint; readonly to: bigint | null; readonly value: V };

/** Where a version that is being sealed falls into a sequence: its neighbours, undefined at either end. */
export type Place = { readonly version: bigint; readonly previous: bigint | undefined; readonly next: bigint | undefined };

/**
 * An account's neighbours of a version among the snapshots that cover it, from the coverage spans beside the version.
 *
 * `before` is the account's last coverage span that starts below the version, `after` its first that reaches above it;
 * `previous` and `next` are the version's neighbours among all sealed snapshots. A span that ends short of a neighbour
 * ends at a snapshot of its own, which then is the account's neighbour.
 */
export function neighboursCovered(
  place: Place,
  before: { readonly to: bigint | null } | undefined,
  after: { readonly from: bigint } | undefined,
): Place {
  const { version, previous, next } = place;
  return {
    version,
    previous:
      before === undefined || previous === undefined ? undefined : before.to !== null && before.to < previous ? before.to : previous,
    next: after === undefined || next === undefined ? undefined : after.from > next ? after.from : next,
  };
}
