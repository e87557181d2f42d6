import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Case, type Fate, fateOf, KEPT_ASIDE, LEAST_REQUESTS, type Tried, widthFor } from "../../../src/core/crawl/night/fate.ts";

const whole: Case = {
  tried: "failed",
  round: 1,
  triesBefore: 0,
  shown: "unknown",
  ending: undefined,
  failedInARow: 1,
  prunedInARow: 0,
  nothings: 0,
  snapshot: "tonight",
  isChosen: false,
  answers: "now",
};
const [budget, signal, plan, turn] = [{ ending: "budget" }, { ending: "signal" }, { ending: "plan" }, { ending: "turn" }] as const;
const [lists, fails, unasked] = [{ shown: "lists" }, { shown: "fails" }, { shown: "unasked" }] as const;
const [earlier, sealed] = [{ snapshot: "earlier" }, { snapshot: "sealed" }] as const;
const [chosen, last] = [{ isChosen: true }, { round: 3 }] as const;

test.each<readonly [Fate, Partial<Case>]>([
  ["stored", { tried: "answered" }],
  // An account without modules is one only where the node lists some of another.
  ["stored", { tried: "nothing", ...lists }],
  ["held", { tried: "nothing" }],
  ["held", { tried: "nothing", nothings: 99 }],
  ["ask", { tried: "nothing", nothings: 100 }],
  ["ask", { tried: "nothing", ...plan }],
  ["ask", { tried: "nothing", ...budget }],
  ["nextLast", { tried: "nothing", ...budget, ...unasked }],
  ["nextLast", { tried: "nothing", ...signal }],
  ["again", { tried: "nothing", ...fails }],

  ["again", {}],
  ["again", lists],
  ["held", last],
  ["held", { tried: "refused" }],
  ["gap", { ...last, ...lists }],
  ["gap", { tried: "refused", ...lists }],
  ["gap", { ...last, ...sealed }],
  ["gap", { tried: "unread" }],

  ["ask", { failedInARow: 25 }],
  ["again", { failedInARow: 24 }],
  ["again", { failedInARow: 25, ...lists }],
  ["stop", { failedInARow: 25, ...fails }],
  ["stop", { failedInARow: 25, ...fails, answers: "none" }],
  ["ask", { failedInARow: 5, ...earlier }],
  ["stop", { failedInARow: 5, ...earlier, ...fails, answers: "none" }],
  ["leaveRest", { failedInARow: 5, ...earlier, ...fails, answers: "before" }],
  ["restUnreadable", { failedInARow: 5, ...earlier, ...fails, answers: "before", triesBefore: 2 }],
  ["restUnreadable", { failedInARow: 5, ...sealed, ...fails, answers: "before" }],
  ["again", { failedInARow: 5, ...earlier, ...lists, answers: "before" }],
  ["leaveRest", { failedInARow: 25, ...earlier, ...lists, answers: "before" }],
  ["again", { failedInARow: 25, ...earlier, ...lists }],

  ["again", { tried: "pruned", prunedInARow: 2 }],
  ["ask", { tried: "pruned", prunedInARow: 3 }],
  ["restPruned", { tried: "pruned", prunedInARow: 3, ...fails }],
  ["again", { tried: "pruned", prunedInARow: 3, ...lists }],
  ["gap", { tried: "pruned", prunedInARow: 3, ...last, ...lists }],
  ["nextLast", { tried: "pruned", prunedInARow: 3, ...signal }],
  ["nextLast", { tried: "pruned", prunedInARow: 2, ...budget, ...lists }],

  ["ask", { ...last, ...plan }],
  ["gap", { ...last, ...plan, ...lists }],
  ["stop", { ...last, ...plan, ...fails }],
  ["restUnreadable", { ...last, ...plan, ...fails, ...earlier }],
  ["leaveRest", { tried: "refused", ...plan, ...fails, ...earlier }],
  ["leaveRest", { ...turn, ...fails, ...earlier, failedInARow: 5, triesBefore: 1 }],
  ["restUnreadable", { ...turn, ...fails, ...earlier, failedInARow: 5, triesBefore: 2 }],

  ["ask", { tried: "cutFailing", ...budget }],
  ["nextNoted", { tried: "cutFailing", ...budget, ...lists }],
  ["nextNoted", { tried: "cutFailing", ...budget, ...lists, triesBefore: 1 }],
  ["gap", { tried: "cutFailing", ...budget, ...lists, triesBefore: 2 }],
  ["gap", { tried: "cutFailing", ...budget, ...lists, ...chosen }],
  ["nextLast", { tried: "cutFailing", ...budget, ...fails }],
  ["nextLast", { tried: "cutFailing", ...budget, ...unasked, ...chosen }],
  // A choice of which nothing was answered has had its turn.
  ["gap", { tried: "cutFailing", ...budget, ...chosen, answers: "none" }],
  ["gap", { tried: "refused", ...plan, ...chosen, answers: "none" }],
  ["nextLast", { tried: "cutFailing", ...signal, ...chosen, answers: "none" }],
  ["restUnreadable", { failedInARow: 25, ...fails, ...chosen, answers: "none" }],
  ["nextNoted", { tried: "cutFailing", ...budget, ...fails, ...earlier, failedInARow: 5 }],
  ["restUnreadable", { tried: "cutFailing", ...budget, ...fails, ...earlier, failedInARow: 5, triesBefore: 2 }],
  ["nextLast", { tried: "cutFailing", ...signal }],
  ["nextNoted", { tried: "failed", ...signal, ...lists, ...chosen }],
  ["nextNoted", { tried: "failed", ...turn, ...lists, ...earlier }],
  ["gap", { tried: "refused", ...budget, ...lists }],
  ["nextLast", { tried: "cutReading", ...budget, ...lists }],
  ["next", { tried: "untouched", ...budget, ...lists }],
])("%s is the fate of an account with %o", (fate, given) => {
  expect(fateOf({ ...whole, ...given })).toBe(fate);
});

const tried = fc.constantFrom<Tried>(
  "answered",
  "nothing",
  "failed",
  "refused",
  "pruned",
  "unread",
  "cutFailing",
  "cutReading",
  "untouched",
);
const anyCase: fc.Arbitrary<Case> = fc.record({
  tried,
  round: fc.integer({ min: 1, max: 3 }),
  triesBefore: fc.integer({ min: 0, max: 4 }),
  shown: fc.constantFrom("lists", "fails", "unasked", "unknown"),
  ending: fc.constantFrom("plan", "budget", "signal", "turn", undefined),
  failedInARow: fc.integer({ min: 0, max: 60 }),
  prunedInARow: fc.integer({ min: 0, max: 4 }),
  nothings: fc.integer({ min: 0, max: 100 }),
  snapshot: fc.constantFrom("tonight", "earlier", "sealed"),
  isChosen: fc.boolean(),
  answers: fc.constantFrom("now", "before", "none"),
});
const lawOf = (holds: (given: Case, fate: Fate) => boolean): void =>
  fc.assert(
    fc.property(anyCase, (given) => holds(given, fateOf(given))),
    { numRuns: 5000 },
  );

describe("whatever else is so", () => {
  test("a question is decided by what is said, and asked only where nothing is known", () =>
    lawOf((given, fate) => fate !== "ask" || (given.shown === "unknown" && given.ending !== "signal")));

  test("at the end nothing stays open", () => lawOf(({ ending }, fate) => ending === undefined || (fate !== "held" && fate !== "again")));

  test("a gap needs a failure of that very account, and a listing of another after it, or a choice of which nothing was answered", () =>
    lawOf(
      ({ tried, shown, snapshot, isChosen, answers }, fate) =>
        fate !== "gap" ||
        tried === "unread" ||
        (["nothing", "failed", "refused", "pruned", "cutFailing"].includes(tried) &&
          (shown === "lists" || snapshot === "sealed" || (isChosen && answers === "none"))),
    ));

  test("what is not answered is never stored, and what is answered is nothing else", () =>
    lawOf(({ tried, shown }, fate) => (fate === "stored") === (tried === "answered" || (tried === "nothing" && shown === "lists"))));

  test("the node's fault ends a run or a snapshot only where it failed to list what it must have", () =>
    lawOf((given, fate) => !["stop", "restUnreadable", "restPruned"].includes(fate) || given.shown === "fails"));

  test("an earlier night's version is given up only at an account that has failed as often as makes a gap, but for a choice without answers", () =>
    lawOf(
      ({ snapshot, triesBefore, round, isChosen, answers }, fate) =>
        fate !== "restUnreadable" || snapshot !== "earlier" || triesBefore + round >= 3 || (isChosen && answers === "none"),
    ));

  test("neither the budget nor a signal gives up tonight's version", () =>
    lawOf(
      ({ ending, snapshot, tried }, fate) =>
        snapshot !== "tonight" ||
        ending === undefined ||
        ending === "plan" ||
        tried === "pruned" ||
        !["stop", "restUnreadable"].includes(fate),
    ));
});

test("no more accounts are read at a time than the requests suffice for, and one at least", () => {
  const left = [0, 7, 8, 31, 32, 1000, Number.POSITIVE_INFINITY];
  expect(left.map((requests) => widthFor(8, requests, 2))).toEqual([1, 1, 2, 7, 8, 8, 8]);
  expect(left.map((requests) => widthFor(8, requests, 9))).toEqual([1, 1, 1, 3, 3, 8, 8]);
  expect([40, 200, 1000].map((requests) => widthFor(8, requests))).toEqual([1, 2, 8]);
});

/** A node on paper: accounts that answer, each with so many requests, and others that fail as often as they are asked. */
type Paper = { readonly live: readonly number[]; readonly dead: number; readonly attempts: number };

/**
 * Nights on paper of one plan that is not chosen, one account at a time, in the order that fates give. @returns the night in which each
 * account was stored, and the one in which the plan was through
 */
function nightsOf({ live, attempts }: Omit<Paper, "dead">, order: readonly number[], requests: number) {
  let queue = [...order];
  const tries = new Map<number, number>();
  const stored = new Map<number, number>();
  const gaps = new Set<number>();
  for (let night = 1; night <= 400; night++) {
    let left = requests - 5 - KEPT_ASIDE;
    const behind: number[] = [];
    const open: number[] = [];
    const noteAll = (accounts: readonly number[], tried: Tried, ending: "budget" | "plan", round: number) => {
      for (const account of accounts) {
        const fate = fateOf({ ...whole, tried, round, ending, shown: "lists", triesBefore: tries.get(account) ?? 0, failedInARow: 1 });
        expect(["nextNoted", "gap"]).toContain(fate);
        tries.set(account, (tries.get(account) ?? 0) + round);
        if (fate === "gap") gaps.add(account);
        else behind.push(account);
      }
    };
    let isSpent = false;
    for (let round = 1; round <= 3 && !isSpent; round++) {
      const asked = round === 1 ? queue.splice(0) : open.splice(0);
      while (asked.length > 0 && !isSpent) {
        const account = asked.shift() as number;
        const isDead = account >= live.length;
        const cost = isDead ? 1 + attempts : (live[account] as number);
        if (cost <= left) {
          left -= cost;
          if (isDead) open.push(account);
          else stored.set(account, night);
          continue;
        }
        isSpent = true;
        if (isDead && left > 1) noteAll([account], "cutFailing", "budget", round);
        else if (round > 1) noteAll([account], "failed", "budget", round - 1);
        else behind.push(account);
        queue = asked;
      }
      // Those that this round did not come to have failed in the one before.
      if (isSpent && round > 1) noteAll(queue.splice(0), "failed", "budget", round - 1);
      if (isSpent) noteAll(open.splice(0), "failed", "budget", round);
    }
    noteAll(open.splice(0), "failed", "plan", 3);
    queue.push(...behind);
    if (queue.length === 0) return { stored, gaps, night };
  }
  return { stored, gaps, night: Number.POSITIVE_INFINITY };
}

test("nights on paper read every account that answers, and come to a seal, within a bounded number whatever the others do", () => {
  const given = fc.record({
    live: fc.array(fc.constantFrom(1, 2), { minLength: 1, maxLength: 20 }),
    dead: fc.integer({ min: 0, max: 20 }),
    attempts: fc.integer({ min: 1, max: 8 }),
    requests: fc.integer({ min: LEAST_REQUESTS + 1, max: 80 }),
    seed: fc.integer({ min: 0, max: 1000 }),
  });
  fc.assert(
    fc.property(given, ({ requests, seed, ...paper }) => {
      const all = paper.live.length + paper.dead;
      const order = Array.from({ length: all }, (_, i) => i).sort((a, b) => ((a * 7919 + seed) % 101) - ((b * 7919 + seed) % 101));
      const { stored, gaps, night } = nightsOf(paper, order, requests);
      expect(stored.size).toBe(paper.live.length);
      expect(gaps.size).toBe(paper.dead);
      expect(Math.max(...stored.values())).toBeLessThanOrEqual(3 * all);
      expect(night).toBeLessThanOrEqual(4 * all);
    }),
  );
});
