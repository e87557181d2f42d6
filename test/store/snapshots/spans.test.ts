import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holds, insertVersion, neighboursCovered, type Place, type Run } from "../../../src/store/snapshots/spans.ts";

type Line = { sequence: bigint[]; runs: Run<string>[] };

function placeOf(sequence: readonly bigint[], version: bigint): Place {
  return {
    version,
    previous: sequence.findLast((v) => v < version),
    next: sequence.find((v) => v > version),
  };
}

function put(line: Line, version: bigint, value: string | undefined): { line: Line; edits: number } {
  const place = placeOf(line.sequence, version);
  const at = (v: bigint | undefined) => (v === undefined ? undefined : line.runs.find((run) => holds(run, v)));
  const edits = insertVersion(place, { left: at(place.previous), right: at(place.next) }, value, Object.is);
  let runs = [...line.runs];
  for (const edit of edits) {
    if (edit.kind === "insert") runs.push(edit.run);
    else
      runs = runs.map((run) =>
        run.from !== edit.run.from ? run : edit.kind === "set_from" ? { ...run, from: edit.from } : { ...run, to: edit.to },
      );
  }
  runs.sort((a, b) => (a.from < b.from ? -1 : 1));
  return { line: { sequence: [...line.sequence, version].sort((a, b) => (a < b ? -1 : 1)), runs }, edits: edits.length };
}

/** Runs made in one go from everything that was seen: what the stepwise algebra has to arrive at. */
function naive(seen: ReadonlyMap<bigint, string | undefined>): Run<string>[] {
  const versions = [...seen.keys()].sort((a, b) => (a < b ? -1 : 1));
  const runs: { from: bigint; to: bigint; value: string }[] = [];
  let open: { from: bigint; to: bigint; value: string } | undefined;
  for (const version of versions) {
    const value = seen.get(version);
    if (value !== undefined && open?.value === value) open.to = version;
    else {
      open = value === undefined ? undefined : { from: version, to: version, value };
      if (open) runs.push(open);
    }
  }
  return runs.map((run) => ({ ...run, to: run.to === versions.at(-1) ? null : run.to }));
}

const history = fc
  .uniqueArray(fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.constantFrom("a", "b", "c", undefined)), {
    selector: ([version]) => version,
    maxLength: 24,
  })
  .map((rows) => new Map(rows));

describe("insertVersion", () => {
  const empty: Line = { sequence: [], runs: [] };

  test("any order of sealing gives the runs that all observations together give", () => {
    fc.assert(
      fc.property(history, fc.infiniteStream(fc.nat()), (seen, picks) => {
        const rest = [...seen];
        let line = empty;
        while (rest.length > 0) {
          const [version, value] = rest.splice((picks.next().value as number) % rest.length, 1)[0] as [bigint, string | undefined];
          line = put(line, version, value).line;
          expect(line.runs).toEqual(naive(new Map([...seen].filter(([v]) => line.sequence.includes(v)))));
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
        for (const [version, value] of seen) expect(line.runs.find((run) => holds(run, version))?.value).toBe(value);
      }),
    );
  });

  test("runs are maximal, disjoint and sorted, and at most one is open", () => {
    fc.assert(
      fc.property(history, (seen) => {
        let line = empty;
        for (const [version, value] of seen) line = put(line, version, value).line;
        expect(line.runs.filter((run) => run.to === null).length).toBeLessThanOrEqual(1);
        line.runs.slice(1).forEach((run, index) => {
          const before = line.runs[index] as Run<string>;
          expect(before.to !== null && before.to < run.from).toBe(true);
          const adjacent = placeOf(line.sequence, run.from).previous === before.to;
          expect(adjacent && before.value === run.value).toBe(false);
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
        const value = line.runs.find((run) => run.to === null)?.value;
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

  test("a different value in the middle of a run splits it in three", () => {
    let line = put(put(empty, 10n, "a").line, 30n, "a").line;
    line = put(line, 20n, "b").line;
    expect(line.runs).toEqual([
      { from: 10n, to: 10n, value: "a" },
      { from: 20n, to: 20n, value: "b" },
      { from: 30n, to: null, value: "a" },
    ]);
  });

  test("an older snapshot with the same value moves a run's start", () => {
    expect(put(put(empty, 10n, "a").line, 5n, "a").line.runs).toEqual([{ from: 5n, to: null, value: "a" }]);
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
          const runs = naive(new Map(others.map(([v, covered]) => [v, covered ? "covered" : undefined])));
          const place = placeOf(
            others.map(([v]) => v),
            version,
          );
          const before = runs.findLast((run) => run.from < version);
          const after = runs.find((run) => run.to === null || run.to > version);
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
