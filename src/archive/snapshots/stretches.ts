import { countBefore } from "../../base/sorted.ts";

/**
 * The stretch of a sequence of sealed ledger versions over which one value stood. `from` is the first version of the
 * sequence at which it was seen, `to` the last, or null while it stands at the newest version of the sequence.
 */
export type Span<V> = { readonly from: bigint; readonly to: bigint | null; readonly value: V };

/** The members of an ascending sequence that lie inside spans over it. */
export function versionsInside(sequence: readonly bigint[], spans: readonly Pick<Span<unknown>, "from" | "to">[]): bigint[] {
  return spans.flatMap(({ from, to }) =>
    sequence.slice(firstAtLeast(sequence, from), to === null ? undefined : countBefore(sequence, (member) => member <= to)),
  );
}

/** The spans, over an ascending sequence, of what its members have: maximal ones, the last one open when it reaches the end. */
export function spansOver<V>(
  sequence: readonly bigint[],
  members: readonly { readonly version: bigint; readonly value: V }[],
  same: (a: V, b: V) => boolean,
): Span<V>[] {
  const spans: { from: bigint; to: bigint | null; value: V }[] = [];
  let expected = -1;
  for (const { version, value } of members) {
    const at = firstAtLeast(sequence, version);
    const open = spans.at(-1);
    if (open !== undefined && at === expected && same(open.value, value)) open.to = version;
    else spans.push({ from: version, to: version, value });
    expected = at + 1;
  }
  const last = spans.at(-1);
  if (last !== undefined && last.to === sequence.at(-1)) last.to = null;
  return spans;
}

/** What a span has at a version; undefined where there is none. */
export function valueAt<V>(spans: readonly Span<V>[], version: bigint): V | undefined {
  const span = spans[countBefore(spans, ({ to }) => to !== null && to < version)];
  return span === undefined || span.from > version ? undefined : span.value;
}

/** The place of the first member at or above a version; the length when there is none. */
function firstAtLeast(sequence: readonly bigint[], version: bigint): number {
  return countBefore(sequence, (member) => member < version);
}
