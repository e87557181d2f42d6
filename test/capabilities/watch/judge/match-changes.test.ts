import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { KnownJudgement, WatchedChange } from "../../../../src/capabilities/watch/alerts/watches.ts";
import { matchChanges } from "../../../../src/capabilities/watch/judge/judge-watches.ts";

/** What a module is at each version from 0 on, as letters; and the versions at which it was looked at. */
type Life = { readonly states: readonly string[]; readonly seen: readonly number[] };

const life = fc
  .array(fc.constantFrom("a", "b", "c"), { minLength: 2, maxLength: 24 })
  .chain((states) =>
    fc.record({ states: fc.constant(states), seen: fc.uniqueArray(fc.nat(states.length - 1), { minLength: 2, maxLength: states.length }) }),
  );

/** The changes that somebody sees who looked at these versions alone. */
function changesSeen({ states }: Life, seen: readonly number[]): WatchedChange[] {
  const looks = seen.toSorted((a, b) => a - b);
  return looks.slice(1).flatMap((now, i) => {
    const before = looks[i] as number;
    const [from, to] = [states[before] as string, states[now] as string];
    if (from === to) return [];
    const bounds = { afterVersion: BigInt(before), atOrBeforeVersion: BigInt(now), isExact: now === before + 1 };
    return [{ address: "0x1", module: "m", from, to, ...bounds, shownBy: BigInt(now), abiChanged: null } as WatchedChange];
  });
}

/** Judgements as they stand after each look that was added, in that order. */
function judgedInTurn(subject: Life): { known: KnownJudgement[]; fresh: WatchedChange[] } {
  let known: KnownJudgement[] = [];
  const all: WatchedChange[] = [];
  for (let count = 2; count <= subject.seen.length; count++) {
    const { fresh, tightened } = matchChanges(known, changesSeen(subject, subject.seen.slice(0, count)));
    known = known.map((one) => ({ ...one, ...tightened.find(({ id }) => id === one.id) }));
    known.push(...fresh.map((change, i) => ({ ...change, id: known.length + i + 1 })));
    all.push(...fresh);
  }
  return { known, fresh: all };
}

const placeOf = ({ from, to, afterVersion, atOrBeforeVersion }: KnownJudgement | WatchedChange): string =>
  `${from} ${to} ${afterVersion} ${atOrBeforeVersion}`;

describe("changes that were judged before", () => {
  test("in whatever order looks come, each change of the end stands once among the judgements", () => {
    fc.assert(
      fc.property(life, (subject) => {
        const { known } = judgedInTurn(subject);
        const places = known.map(placeOf);
        for (const change of changesSeen(subject, subject.seen))
          expect(places.filter((place) => place === placeOf(change))).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });

  test("judging again finds nothing", () => {
    fc.assert(
      fc.property(life, (subject) => {
        const { known } = judgedInTurn(subject);
        expect(matchChanges(known, changesSeen(subject, subject.seen))).toEqual({ fresh: [], tightened: [] });
      }),
    );
  });
});
