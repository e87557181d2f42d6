import { compare, countBefore } from "../../base/sorted.ts";

/**
 * The stretch of a sequence of sealed ledger versions over which one value stood. `from` is the first version of the
 * sequence at which it was seen, `to` the last, or null while it stands at the newest version of the sequence.
 */
export type Span<V> = { readonly from: bigint; readonly to: bigint | null; readonly value: V };

/**
 * The versions at which at least one of several observers answered for an account, ascending, cut into stretches of
 * neighbours that the same observers answered for. `first` and `last` are places in `versions`, `owners` observers' numbers.
 */
export type Timeline = {
  readonly versions: readonly bigint[];
  readonly stretches: readonly { readonly first: number; readonly last: number; readonly owners: readonly number[] }[];
};

/** What the observers of one stretch say of a key, in the order of `owners`: one value out, or undefined for absent. */
export type Reconcile<V> = (values: readonly (V | undefined)[], owners: readonly number[], from: bigint, to: bigint) => V | undefined;

/** Lays several observers' versions, each list ascending, on one line. */
export function layTimeline(observers: readonly (readonly bigint[])[]): Timeline {
  const ownersOf = new Map<bigint, number[]>();
  for (const [i, list] of observers.entries()) {
    for (const version of list) {
      const owners = ownersOf.get(version);
      if (owners === undefined) ownersOf.set(version, [i]);
      else owners.push(i);
    }
  }
  const timeline = [...ownersOf].sort(([a], [b]) => compare(a, b));
  const stretches: { first: number; last: number; owners: readonly number[] }[] = [];
  for (const [at, [, owners]] of timeline.entries()) {
    const latest = stretches.at(-1);
    if (latest !== undefined && sameNumbers(latest.owners, owners)) latest.last = at;
    else stretches.push({ first: at, last: at, owners });
  }
  return { versions: timeline.map(([version]) => version), stretches };
}

/**
 * One key's spans over a timeline, from each observer's spans over its own versions. They are maximal, so the order of merging
 * does not matter; `reconcile` decides where several answered. Cost grows with spans, not versions.
 */
export function mergeSpans<V>(
  { versions, stretches }: Timeline,
  observed: readonly (readonly Span<V>[])[],
  reconcile: Reconcile<V>,
  same: (a: V, b: V) => boolean,
): Span<V>[] {
  const merged: { first: number; last: number; value: V }[] = [];
  for (const { first, last, owners } of stretches) {
    for (let at = first; at <= last; ) {
      const version = versions[at] as bigint;
      let end = versions[last] as bigint;
      const values = owners.map((owner) => {
        const { value, until } = valueAt(observed[owner] ?? [], version);
        if (until !== undefined && until < end) end = until;
        return value;
      });
      const stop = lastAtMost(versions, end);
      const value = reconcile(values, owners, version, versions[stop] as bigint);
      const open = merged.at(-1);
      if (value !== undefined && open !== undefined && open.last === at - 1 && same(open.value, value)) open.last = stop;
      else if (value !== undefined) merged.push({ first: at, last: stop, value });
      at = stop + 1;
    }
  }
  const newest = versions.length - 1;
  return merged.map(({ first, last, value }) => ({
    from: versions[first] as bigint,
    to: last === newest ? null : (versions[last] as bigint),
    value,
  }));
}

/** The members of an ascending sequence that lie inside spans over it. */
export function versionsInside(sequence: readonly bigint[], spans: readonly Pick<Span<unknown>, "from" | "to">[]): bigint[] {
  return spans.flatMap(({ from, to }) =>
    sequence.slice(firstAtLeast(sequence, from), to === null ? undefined : lastAtMost(sequence, to) + 1),
  );
}

/** The spans over an ascending sequence that hold exactly these members of it, the last one open when it reaches the end. */
export function spansOver(sequence: readonly bigint[], members: readonly bigint[]): Span<true>[] {
  const spans: { from: bigint; to: bigint | null; value: true }[] = [];
  let expected = -1;
  for (const member of members) {
    const at = firstAtLeast(sequence, member);
    const open = spans.at(-1);
    if (open !== undefined && at === expected) open.to = member;
    else spans.push({ from: member, to: member, value: true });
    expected = at + 1;
  }
  const last = spans.at(-1);
  if (last !== undefined && last.to === sequence.at(-1)) last.to = null;
  return spans;
}

/** The place of the first member at or above a version; the length when there is none. */
export function firstAtLeast(sequence: readonly bigint[], version: bigint): number {
  return countBefore(sequence, (member) => member < version);
}

/** The place of a member; undefined for what is none. */
export function placeOf(sequence: readonly bigint[], version: bigint): number | undefined {
  const at = firstAtLeast(sequence, version);
  return sequence[at] === version ? at : undefined;
}

/** The place of the last member at or below a version; -1 when there is none. */
function lastAtMost(sequence: readonly bigint[], version: bigint): number {
  return countBefore(sequence, (member) => member <= version) - 1;
}

/** An observer's value at one of its versions, and the last version up to which that is known to hold; undefined: for good. */
export function valueAt<V>(
  spans: readonly Span<V>[],
  version: bigint,
): { readonly value: V | undefined; readonly until: bigint | undefined } {
  const span = spans[countBefore(spans, ({ to }) => to !== null && to < version)];
  if (span === undefined) return { value: undefined, until: undefined };
  if (span.from > version) return { value: undefined, until: span.from - 1n };
  return { value: span.value, until: span.to ?? undefined };
}

function sameNumbers(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
