import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Span } from "../../../src/archive/snapshots/stretches.ts";
import { brokenLaws } from "../../../src/archive/verify/spans.ts";

const sequence = [10n, 20n, 30n, 40n, 50n];

/** What stood at each member of the sequence, undefined for absent. */
const seen = fc.array(fc.constantFrom(undefined, "a", "b"), { minLength: sequence.length, maxLength: sequence.length });

function stretchesOf(values: readonly (string | undefined)[]): Span<string>[] {
  const stretches: { from: bigint; to: bigint | null; value: string }[] = [];
  for (const [i, value] of values.entries()) {
    const last = stretches.at(-1);
    const version = sequence[i] as bigint;
    const to = i === sequence.length - 1 ? null : version;
    if (value !== undefined && value === values[i - 1] && last !== undefined) last.to = to;
    else if (value !== undefined) stretches.push({ from: version, to, value });
  }
  return stretches;
}

describe("brokenLaws", () => {
  test("finds nothing in the stretches of anything that was seen, and something in any others", () => {
    const end = fc.constantFrom(null, 0n, 10n, 20n, 25n, 30n, 40n, 50n, 60n);
    const anything = fc
      .array(fc.record({ from: fc.constantFrom(...sequence, 15n), to: end, value: fc.constantFrom("a", "b") }), { maxLength: 4 })
      .map((list) => list.toSorted((a, b) => Number(a.from - b.from)));
    fc.assert(
      fc.property(fc.oneof(seen.map(stretchesOf), anything), (stretches) => {
        const values = sequence.map((version) => {
          const standing = stretches.filter(({ from, to }) => from <= version && (to === null || version <= to));
          return standing.length > 1 ? "both" : standing[0]?.value;
        });
        const text = (list: readonly Span<string>[]) => list.map(({ from, to, value }) => `${from} ${to} ${value}`);
        const isLawful = !values.includes("both") && `${text(stretchesOf(values))}` === `${text(stretches)}`;
        expect(brokenLaws(sequence, stretches).length === 0).toBe(isLawful);
      }),
      { numRuns: 2000 },
    );
  });

  test("says which law is broken", () => {
    const stretch = (from: bigint, to: bigint | null, value = "a"): Span<string> => ({ from, to, value });
    expect(brokenLaws(sequence, [stretch(15n, 20n)])).toEqual(["begins at 15, which is no snapshot of the account"]);
    expect(brokenLaws(sequence, [stretch(20n, 25n)])).toEqual(["from 20: ends at 25, which is no snapshot of the account"]);
    expect(brokenLaws(sequence, [stretch(30n, 20n)])).toEqual(["from 30: ends at 20, before it begins"]);
    expect(brokenLaws(sequence, [stretch(30n, 50n)])).toEqual([
      "from 30: ends at 50, the newest snapshot of the account, where its end must be open",
    ]);
    expect(brokenLaws(sequence, [stretch(10n, 30n), stretch(30n, null, "b")])).toEqual(["from 30: overlaps the stretch before it"]);
    expect(brokenLaws(sequence, [stretch(10n, 20n), stretch(30n, null)])).toEqual(["from 30: continues an equal stretch"]);
  });
});
