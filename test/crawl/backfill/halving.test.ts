import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextByHalving } from "../../../src/crawl/backfill/halving.ts";

/** Reads one account's versions in this order, where a version between two equal snapshots is not read. Returns what was read. */
function readByHalving(values: readonly number[]): Map<number, number> {
  const read = new Map<number, number>();
  for (;;) {
    const sealed = [...read.keys()].sort((a, b) => a - b);
    const open = values.flatMap((_, at) => {
      if (read.has(at)) return [];
      const [before, after] = [sealed.findLast((other) => other < at), sealed.find((other) => other > at)];
      const isInferred = before !== undefined && after !== undefined && read.get(before) === read.get(after);
      return isInferred ? [] : [BigInt(at)];
    });
    if (open.length === 0) return read;
    const next = Number(nextByHalving(open, sealed.map(BigInt)));
    expect(open).toContain(BigInt(next));
    read.set(next, values[next] as number);
  }
}

/** A value that changes at these places and never back. */
const valuesOf = (length: number, changes: readonly number[]): number[] =>
  Array.from({ length }, (_, at) => changes.filter((change) => change <= at).length);

describe("nextByHalving", () => {
  test("both ends first, then the middle", () => {
    expect(nextByHalving([1n, 2n, 3n, 4n, 5n], [])).toBe(1n);
    expect(nextByHalving([2n, 3n, 4n, 5n], [1n])).toBe(5n);
    expect(nextByHalving([2n, 3n, 4n], [1n, 5n])).toBe(3n);
    expect(nextByHalving([2n, 50n, 90n], [1n, 10n, 100n])).toBe(90n);
  });

  test("equal ends stop; each change costs a logarithm, and every change is found between its neighbours", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.array(fc.nat(399), { maxLength: 6 }), (length, places) => {
        const changes = [...new Set(places.filter((place) => place > 0 && place < length))];
        const values = valuesOf(length, changes);
        const read = readByHalving(values);
        const perChange = Math.ceil(Math.log2(Math.max(2, length)));
        expect(read.size).toBeLessThanOrEqual(2 + changes.length * perChange);
        for (const change of changes) expect([change - 1, change].every((at) => read.has(at))).toBe(true);
      }),
    );
  });
});
