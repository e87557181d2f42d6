import type { Place, Span } from "../../../src/archive/snapshots/spans.ts";

/** One change to the stored spans of a key: rows are named by their `from`, which is unique among a key's spans. */
export type SpanEdit<V> =
  | { readonly kind: "insert"; readonly span: Span<V> }
  | { readonly kind: "set_from"; readonly span: Span<V>; readonly from: bigint }
  | { readonly kind: "set_to"; readonly span: Span<V>; readonly to: bigint | null };

/** The spans of one key beside a place: the one that holds the previous version, the one that holds the next. May be one and the same. */
export type Beside<V> = { readonly left: Span<V> | undefined; readonly right: Span<V> | undefined };

/**
 * What has to change in one key's spans when a version is put into its sequence, with `value` standing there
 * (undefined: the key was absent).
 *
 * Runs are maximal over the sequence, so they are a function of the sequence and of what was seen at each version:
 * whatever the order in which versions are put in, the same spans come out. Putting a version in changes at most the two
 * spans beside it. A version that repeats its neighbour's value changes nothing at the end of the sequence, which is why
 * a quiet night writes no rows.
 *
 * @example
 * insertVersion({ version: 20n, previous: 10n, next: undefined }, { left: { from: 10n, to: null, value: "a" }, right: undefined }, "b", Object.is)
 * // [{ kind: "set_to", span: …, to: 10n }, { kind: "insert", span: { from: 20n, to: null, value: "b" } }]
 */
export function insertVersion<V>(place: Place, beside: Beside<V>, value: V | undefined, same: (a: V, b: V) => boolean): SpanEdit<V>[] {
  const { version, previous, next } = place;
  const { left, right } = beside;
  const end = next === undefined ? null : version;

  if (left !== undefined && right !== undefined && left.from === right.from) {
    if (value !== undefined && same(left.value, value)) return [];
    const edits: SpanEdit<V>[] = [
      { kind: "set_to", span: left, to: previous as bigint },
      { kind: "insert", span: { from: next as bigint, to: left.to, value: left.value } },
    ];
    if (value !== undefined) edits.push({ kind: "insert", span: { from: version, to: version, value } });
    return edits;
  }

  if (value !== undefined && left !== undefined && same(left.value, value)) {
    return left.to === end ? [] : [{ kind: "set_to", span: left, to: end }];
  }
  const edits: SpanEdit<V>[] = left !== undefined && left.to === null ? [{ kind: "set_to", span: left, to: previous as bigint }] : [];
  if (value === undefined) return edits;
  if (right !== undefined && same(right.value, value)) return [{ kind: "set_from", span: right, from: version }];
  edits.push({ kind: "insert", span: { from: version, to: end, value } });
  return edits;
}

/** Whether a span holds a version, given that the version is one of the span's sequence. */
export function holds(span: { readonly from: bigint; readonly to: bigint | null }, version: bigint): boolean {
  return span.from <= version && (span.to === null || version <= span.to);
}
