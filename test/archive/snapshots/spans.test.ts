import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { neighboursCovered, type Place, type Span } from "../../../src/archive/snapshots/spans.ts";
import { holds, insertVersion } from "../../support/store/insert-version.ts";

type Line = { sequence: bigint[]; spans: Span<string>[] };

function placeOf(sequence: readonly bigint[], version: bigint): Place {
  return {
    version,
    previous: sequence.findLast((v) => v < version),
    next: sequence.find((v) => v > version),
  };
}

function put(line: Line, version: bigint, value: string | undefined): { line: Line; edits: number } {
  const place = placeOf(line.sequence, version);
  const at = (v: bigint | undefined) => (v === undefined ? undefined : line.spans.find((span) => holds(span, v)));
  const edits = insertVersion(place, { left: at(place.previous), right: at(place.next) }, value, Object.is);
  let spans = [...line.spans];
  for (const edit of edits) {
    if (edit.kind === "insert") spans.push(edit.span);
    else
      spans = spans.map((span) =>
        span.from !== edit.span.from ? span : edit.kind === "set_from" ? { ...span, from: edit.from } : { ...span, to: edit.to },
      );
  }
  spans.sort((a, b) => (a.from < b.from ? -1 : 1));
  return { line: { sequence: [...line.sequence, version].sort((a, b) => (a < b ? -1 : 1)), spans }, edits: edits.length };
}

/** Runs made in one go from everything that was seen: what the stepwise algebra has to arrive at. */
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

const history = fc
  .uniqueArray(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.constantFrom("a", "b", "c", undefined)), {
    selector: ([version]) => version,
    maxLength: 24,
  })
  .map((rows) => new Map(rows));

describe("insertVersion", () => {
  const empty: Line = { sequence: [], spans: [] };

  test("any order of sealing gives the spans that all observations together give", () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat()), (seen, picks) => {
        const rest = [...seen];
        let line = empty;
        while (rest.length > 0) {
          const [version, value] = rest.splice((picks.next().value as number) % rest.length, 1)[0] as [bigint, string | undefined];
          line = put(line, version, value).line;
          expect(line.spans).toEqual(naive(new Map([...seen].filter(([v]) => line.sequence.includes(v)))));
        }
      }),
      { numRuns: 400 },
    );
  });

  test("a point question is answered as the observations were", () => {
    fc.assert(
      fc.property(history, (seen) => {
        let line = empty;
        for (const [version, value] of seen) line = put(line, version, value).line;
        for (const [version, value] of seen) expect(line.spans.find((span) => holds(span, version))?.value).toBe(value);
      }),
    );
  });

  test("spans are maximal, disjoint and sorted, and at most one is open", () => {
    fc.assert(
      fc.property(history, (seen) => {
        let line = empty;
        for (const [version, value] of seen) line = put(line, version, value).line;
        expect(line.spans.filter((span) => span.to === null).length).toBeLessThanOrEqual(1);
        line.spans.slice(1).forEach((span, index) => {
          const before = line.spans[index] as Span<string>;
          expect(before.to !== null && before.to < span.from).toBe(true);
          const adjacent = placeOf(line.sequence, span.from).previous === before.to;
          expect(adjacent && before.value === span.value).toBe(false);
        });
      }),
    );
  });

  test("a version that repeats the newest value writes nothing", () => {
    fc.assert(
      fc.property(history, (seen) => {
        let line = empty;
        for (const [version, value] of seen) line = put(line, version, value).line;
        const newest = line.sequence.at(-1) ?? 0n;
        const value = line.spans.find((span) => span.to === null)?.value;
        expect(put(line, newest + 1n, value).edits).toBe(line.sequence.length === 0 && value !== undefined ? 1 : 0);
      }),
    );
  });

  test("no version changes more than three rows", () => {
    fc.assert(
      fc.property(history, (seen) => {
        let line = empty;
        for (const [version, value] of seen) {
          const step = put(line, version, value);
          expect(step.edits).toBeLessThanOrEqual(3);
          line = step.line;
        }
      }),
    );
  });

  test("a different value in the middle of a span splits it in three", () => {
    let line = put(put(empty, 10n, "a").line, 30n, "a").line;
    line = put(line, 20n, "b").line;
    expect(line.spans).toEqual([
      { from: 10n, to: 10n, value: "a" },
      { from: 20n, to: 20n, value: "b" },
      { from: 30n, to: null, value: "a" },
    ]);
  });

  test("an older snapshot with the same value moves a span's start", () => {
    expect(put(put(empty, 10n, "a").line, 5n, "a").line.spans).toEqual([{ from: 5n, to: null, value: "a" }]);
  });
});

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
