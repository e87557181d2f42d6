import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextFromOldest } from "../../../src/capabilities/backfill/backfill-run.ts";

/**
 * Reads one account's versions in an order, where a version between two equal snapshots that are near enough is not read. Returns what
 * was read, each once.
 */
function readAll(
  values: readonly number[],
  nextOf: (open: readonly bigint[], sealed: readonly bigint[]) => bigint | undefined,
  maxApart = Number.POSITIVE_INFINITY,
): Set<number> {
  const read = new Set<number>();
  for (;;) {
    const sealed = [...read].sort((a, b) => a - b);
    const open = values.flatMap((_, at) => {
      if (read.has(at)) return [];
      const [before, after] = [sealed.findLast((other) => other < at), sealed.find((other) => other > at)];
      const isInferred = before !== undefined && after !== undefined && after - before <= maxApart && values[before] === values[after];
      return isInferred ? [] : [BigInt(at)];
    });
    if (open.length === 0) return read;
    const next = nextOf(open, sealed.map(BigInt));
    expect(open).toContain(next);
    read.add(Number(next));
  }
}

/** A value that changes at these places and never back. */
const valuesOf = (length: number, changes: readonly number[]): number[] =>
  Array.from({ length }, (_, at) => changes.filter((change) => change <= at).length);

describe("nextFromOldest", () => {
  test("the oldest, then anchors that are near enough, then the middle between two that differ", () => {
    expect(nextFromOldest([1n, 2n, 3n], [], 10n)).toBe(1n);
    expect(nextFromOldest([2n, 5n, 11n, 12n, 40n], [1n], 10n)).toBe(11n);
    expect(nextFromOldest([2n, 5n, 9n], [1n, 11n], 10n)).toBe(5n);
    expect(nextFromOldest([2n, 5n, 9n, 14n], [1n, 20n], 10n)).toBe(9n);
    expect(nextFromOldest([12n, 40n], [1n], 10n)).toBe(12n);
    expect(nextFromOldest([2n, 5n, 40n], [1n], undefined)).toBe(40n);
  });

  test("equal ends stop; each change costs a logarithm, and every change is found between its neighbours", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.array(fc.nat(399), { maxLength: 6 }), (length, places) => {
        const changes = [...new Set(places.filter((place) => place > 0 && place < length))];
        const values = valuesOf(length, changes);
        const read = readAll(values, (open, sealed) => nextFromOldest(open, sealed, undefined));
        const perChange = Math.ceil(Math.log2(Math.max(2, length)));
        expect(read.size).toBeLessThanOrEqual(2 + changes.length * perChange);
        for (const change of changes) expect([change - 1, change].every((at) => read.has(at))).toBe(true);
      }),
    );
  });

  test("settles from the oldest on, with no two neighbours too far apart, and reads anchors alone where nothing changes", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.nat(199), { maxLength: 5 }),
        (length, maxApart, changes) => {
          const inside = changes.filter((place) => place > 0 && place < length);
          const next = (open: readonly bigint[], sealed: readonly bigint[]) => nextFromOldest(open, sealed, BigInt(maxApart));
          const read = readAll(valuesOf(length, inside), next, maxApart);
          if (changes.length === 0) expect(read.size).toBeLessThanOrEqual(Math.ceil((length - 1) / maxApart) + 1);
        },
      ),
    );
  });
});
