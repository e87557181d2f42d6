/**
 * The stretch of a sequence of sealed ledger versions over which one value stood. `from` is the first version of the
 * sequence at which it was seen, `to` the last, or null while it stands at the newest version of the sequence.
 */
export type Run<V> = { readonly from: bigint; readonly to: bigint | null; readonly value: V };

/** One change to the stored runs of a key: rows are named by their `from`, which is unique among a key's runs. */
export type RunEdit<V> =
  | { readonly kind: "insert"; readonly run: Run<V> }
  | { readonly kind: "set_from"; readonly run: Run<V>; readonly from: bigint }
  | { readonly kind: "set_to"; readonly run: Run<V>; readonly to: bigint | null };

/** Where a version that is being sealed falls into a sequence: its neighbours, undefined at either end. */
export type Place = { readonly version: bigint; readonly previous: bigint | undefined; readonly next: bigint | undefined };

/** The runs of one key beside a place: the one that holds the previous version, the one that holds the next. May be one and the same. */
export type Beside<V> = { readonly left: Run<V> | undefined; readonly right: Run<V> | undefined };

/**
 * What has to change in one key's runs when a version is put into its sequence, with `value` standing there
 * (undefined: the key was absent).
 *
 * Runs are maximal over the sequence, so they are a function of the sequence and of what was seen at each version:
 * whatever the order in which versions are put in, the same runs come out. Putting a version in changes at most the two
 * runs beside it. A version that repeats its neighbour's value changes nothing at the end of the sequence, which is why
 * a quiet night writes no rows.
 *
 * @example
 * insertVersion({ version: 20n, previous: 10n, next: undefined }, { left: { from: 10n, to: null, value: "a" }, right: undefined }, "b", Object.is)
 * // [{ kind: "set_to", run: …, to: 10n }, { kind: "insert", run: { from: 20n, to: null, value: "b" } }]
 */
export function insertVersion<V>(place: Place, beside: Beside<V>, value: V | undefined, same: (a: V, b: V) => boolean): RunEdit<V>[] {
  const { version, previous, next } = place;
  const { left, right } = beside;
  const end = next === undefined ? null : version;

  if (left !== undefined && right !== undefined && left.from === right.from) {
    if (value !== undefined && same(left.value, value)) return [];
    const edits: RunEdit<V>[] = [
      { kind: "set_to", run: left, to: previous as bigint },
      { kind: "insert", run: { from: next as bigint, to: left.to, value: left.value } },
    ];
    if (value !== undefined) edits.push({ kind: "insert", run: { from: version, to: version, value } });
    return edits;
  }

  if (value !== undefined && left !== undefined && same(left.value, value)) {
    return left.to === end ? [] : [{ kind: "set_to", run: left, to: end }];
  }
  const edits: RunEdit<V>[] = left !== undefined && left.to === null ? [{ kind: "set_to", run: left, to: previous as bigint }] : [];
  if (value === undefined) return edits;
  if (right !== undefined && same(right.value, value)) return [{ kind: "set_from", run: right, from: version }];
  edits.push({ kind: "insert", run: { from: version, to: end, value } });
  return edits;
}

/** Whether a run holds a version, given that the version is one of the run's sequence. */
export function holds(run: { readonly from: bigint; readonly to: bigint | null }, version: bigint): boolean {
  return run.from <= version && (run.to === null || version <= run.to);
}

/**
 * An account's neighbours of a version among the snapshots that cover it, from the coverage runs beside the version.
 *
 * `before` is the account's last coverage run that starts below the version, `after` its first that reaches above it;
 * `previous` and `next` are the version's neighbours among all sealed snapshots. A run that ends short of a neighbour
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
