/**
 * The stretch of a sequence of sealed ledger versions over which one value stood. `from` is the first version of the
 * sequence at which it was seen, `to` the last, or null while it stands at the newest version of the sequence.
 */
export type Span<V> = { readonly from: bigint; readonly to: bigint | null; readonly value: V };

/** Where a version that is being sealed falls into a sequence: its neighbours, undefined at either end. */
export type Place = { readonly version: bigint; readonly previous: bigint | undefined; readonly next: bigint | undefined };

/**
 * An account's neighbours of a version among the snapshots that cover it. `before` is its last coverage span that starts below,
 * `after` its first that reaches above; `previous` and `next` are the version's neighbours among all sealed snapshots.
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
