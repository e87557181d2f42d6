import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { neighboursCovered, type Place, type Span } from "../../../src/archive/snapshots/spans.ts";

function placeOf(sequence: readonly bigint[], version: bigint): Place {
  return {
    version,
    previous: sequence.findLast((v) => v < version),
    next: sequence.find((v) => v > version),
  };
}

/** The spans that all that was seen comes to. */
function naive(seen: ReadonlyMap<bigint, string | undefined>): Span<string>[] {
  const versions = [...seen.keys()].sort((a, b) => (a < b ? -1 : 1));
  const spans: { from: bigint; to: bigint; value: string }[] = [];
  let open: { from: bigint; to: bigint; value: string } | undefined;
  for (const version of versions) {
    const value = seen.get(version);
    if (value !== undefined && open?.value === value) open.to = version;
    else {
      open = value === undefined ? undefined : { from: version, to: version, value };
      if (open) spans.push(open);
    }
  }
  return spans.map((span) => ({ ...span, to: span.to === versions.at(-1) ? null : span.to }));
}

describe("neighboursCovered", () => {
  test("finds an account's neighbours among the snapshots that cover it", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.bigInt({ min: 0n, max: 60n }), fc.boolean()), { selector: ([v]) => v, maxLength: 20 }),
        fc.bigInt({ min: 0n, max: 60n }),
        (rows, version) => {
          const others = rows.filter(([v]) => v !== version).sort(([a], [b]) => (a < b ? -1 : 1));
          const spans = naive(new Map(others.map(([v, covered]) => [v, covered ? "covered" : undefined])));
          const place = placeOf(
            others.map(([v]) => v),
            version,
          );
          const before = spans.findLast((span) => span.from < version);
          const after = spans.find((span) => span.to === null || span.to > version);
          expect(neighboursCovered(place, before, after)).toEqual(
            placeOf(
              others.filter(([, covered]) => covered).map(([v]) => v),
              version,
            ),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });
});
