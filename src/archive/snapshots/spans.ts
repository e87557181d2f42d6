/**
 * The stretch of a sequence of sealed ledger versions over which one value stood. `from` is the first version of the
 * sequence at which it was seen, `to` the last, or null while it stands at the newest version of the sequence.
 */
export type Span<V> = { readonly from: bigint; readonly to: bigint | null; readonly value: V };

/** Where a version that is being sealed falls into a sequence: its neighbours, undefined at either end. */
export type Place = { readonly version: bigint; readonly previous: bigint | undefined; readonly next: bigint | undefined };
