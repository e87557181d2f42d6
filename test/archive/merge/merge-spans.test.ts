import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layTimeline, mergeSpans, type Reconcile, type Span, spansOver, versionsInside } from "../../../src/archive/merge/merge-spans.ts";

type Seen = ReadonlyMap<bigint, string | undefined>;

const versionsOf = (seen: Seen): bigint[] => [...seen.keys()].sort((a, b) => (a < b ? -1 : 1));

/** Runs made version by version: the plain meaning that the algebra has to agree with. */
function naive(seen: Seen): Span<string>[] {
  const versions = versionsOf(seen);
  const spans: { from: bigint; to: bigint | null; value: string }[] = [];
  for (const [i, version] of versions.entries()) {
    const value = seen.get(version);
    const open = spans.at(-1);
    if (value !== undefined && open !== undefined && open.value === value && open.to === versions[i - 1]) open.to = version;
    else if (value !== undefined) spans.push({ from: version, to: version, value });
  }
  const last = spans.at(-1);
  if (last !== undefined && last.to === versions.at(-1)) last.to = null;
  return spans;
}

const first: Reconcile<string> = (values) => values[0];
const sight = fc
  .dictionary(fc.integer({ min: 0, max: 14 }).map(String), fc.constantFrom("a", "b", null), { maxKeys: 15 })
  .map((record): Seen => new Map(Object.entries(record).map(([version, value]) => [BigInt(version), value ?? undefined])));

describe("mergeRuns", () => {
  test("gives the spans of all that several observers saw, the first of them deciding", () => {
    fc.assert(
      fc.property(fc.array(sight, { minLength: 1, maxLength: 4 }), (sights) => {
        const timeline = layTimeline(sights.map(versionsOf));
        const all = new Map<bigint, string | undefined>();
        for (const seen of sights.toReversed()) for (const [version, value] of seen) all.set(version, value);
        expect(timeline.versions).toEqual(versionsOf(all));
        expect(mergeSpans(timeline, sights.map(naive), first, Object.is)).toEqual(naive(all));
      }),
      { numRuns: 500 },
    );
  });

  test("does not depend on how observers that agree are grouped or ordered", () => {
    fc.assert(
      fc.property(sight, fc.array(fc.nat(3), { minLength: 15, maxLength: 15 }), (truth, shares) => {
        const parts: Seen[] = [0, 1, 2, 3].map((part) => new Map([...truth].filter(([version]) => shares[Number(version)] === part)));
        const merge = (sights: readonly Seen[]): Seen => {
          const spans = mergeSpans(layTimeline(sights.map(versionsOf)), sights.map(naive), first, Object.is);
          const versions = layTimeline(sights.map(versionsOf)).versions;
          return new Map(versions.map((v) => [v, spans.find((span) => span.from <= v && (span.to === null || v <= span.to))?.value]));
        };
        const [a, b, c, d] = parts as [Seen, Seen, Seen, Seen];
        expect(naive(merge([merge([d, b]), merge([c, a])]))).toEqual(naive(truth));
        expect(naive(merge([merge([merge([a, b]), c]), d]))).toEqual(naive(truth));
      }),
    );
  });

  test("takes spans that are not maximal", () => {
    const spans: Span<string>[] = [
      { from: 1n, to: 1n, value: "a" },
      { from: 2n, to: null, value: "a" },
    ];
    expect(mergeSpans(layTimeline([[1n, 2n, 3n]]), [spans], first, Object.is)).toEqual([{ from: 1n, to: null, value: "a" }]);
  });

  test("asks about a disagreement once for the whole stretch", () => {
    const asked: unknown[] = [];
    const reconcile: Reconcile<string> = (values, _, from, to) => {
      if (values.length > 1 && values[0] !== values[1]) asked.push([values, from, to]);
      return values[0];
    };
    const sides: Span<string>[][] = [[{ from: 1n, to: null, value: "a" }], [{ from: 2n, to: null, value: "b" }]];
    const timeline = layTimeline([
      [1n, 2n, 3n, 4n],
      [2n, 3n, 4n],
    ]);
    expect(mergeSpans(timeline, sides, reconcile, Object.is)).toEqual([{ from: 1n, to: null, value: "a" }]);
    expect(asked).toEqual([[["a", "b"], 2n, 4n]]);
  });
});

describe("runsOver", () => {
  test("is the inverse of versionsInside", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(30), { maxLength: 20 }),
        fc.array(fc.boolean(), { minLength: 31, maxLength: 31 }),
        (all, chosen) => {
          const sequence = all.sort((a, b) => a - b).map(BigInt);
          const members = sequence.filter((version) => chosen[Number(version)]);
          expect(versionsInside(sequence, spansOver(sequence, members))).toEqual(members);
        },
      ),
    );
  });
});
