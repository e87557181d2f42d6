import { compare } from "../../base/sorted.ts";
import type { TargetHistory } from "../../work/targets/target-histories.ts";
import { BELIEF_SIZE, changeModel, evenShares, type Shares } from "./change-model.ts";
import { commonNights, type Reading, ratioAfter, type SeenStretch } from "./common-nights.ts";
import type { Stretches } from "./stretches.ts";

/** The unit of rates and ages. */
export const DAY_MS = 86_400_000;

/** When a version was made, in milliseconds since 1970. */
export type TimeOf = (version: bigint) => number;

/** What is believed of one account: what of its habits, and how many times as probable its history is if it follows what changes many. */
export type Belief = { readonly habits: Float64Array; readonly shares: Shares; readonly ratio: number };

export type Alike = { readonly target: TargetHistory; readonly accounts: number };

export type BeliefOptions = {
  readonly timeOf: TimeOf;
  readonly nowMs: number;
  /** Sealed snapshots, oldest first: what the oldest does not cover came onto the list later. */
  readonly sealed: readonly bigint[];
  readonly isRecordRead: (target: TargetHistory) => boolean;
};

/** Rounds of expectation maximization: after these the shares move by less than they err. */
const ROUNDS = 30;
/** Rounds in which nights with a common cause and what accounts do by themselves are told apart. */
const COMMON_ROUNDS = 3;

/** Accounts with code since the oldest snapshot, accounts that got code later, and accounts without code. Habits are counted per kind. */
const KINDS = ["first", "later", "without code"] as const;
type Kind = (typeof KINDS)[number];

/**
 * What is believed of targets after all their readings, learnt from a sample of them. What is found loses its worth at `decay` a day;
 * from night to night are `nightly` days.
 */
export function openBeliefs(stretches: Stretches, options: BeliefOptions, decay: number, nightly: number) {
  const { sealed, isRecordRead } = options;
  const model = changeModel(stretches);
  const shares = new Map<Kind, Shares>(KINDS.map((kind) => [kind, evenShares()]));
  const dayOf = (version: bigint): number => options.timeOf(version) / DAY_MS;
  const common = commonNights(sealed.map(dayOf), options.nowMs / DAY_MS, decay, nightly);
  const habits = new Float64Array(BELIEF_SIZE);

  const kindOf = ({ hadModules, covered }: TargetHistory): Kind => {
    if (!hadModules) return covered === undefined ? "later" : "without code";
    return covered?.first === sealed[0] ? "first" : "later";
  };
  const sharesOf = (target: TargetHistory): Shares => shares.get(kindOf(target)) as Shares;

  /** Takes in all readings of a target, and gives how many times as probable they are if it follows what changes many. */
  function believe(target: TargetHistory, beliefs: Float64Array, at: number, note?: (stretch: Reading) => void): number {
    model.begin(beliefs, at);
    let ratio = 1;
    if (target.covered === undefined) return ratio;
    const ownShares = sharesOf(target);
    const take = (from: number, to: number, isChanged: boolean): void => {
      const quiet = model.chanceOfNone(beliefs, at, ownShares, from, to);
      const uncommon = common.chanceOfNone(from, to);
      model.observe(beliefs, at, from, to, isChanged, common.follows(ratio) * (1 - uncommon));
      ratio = ratioAfter(ratio, isChanged, quiet, uncommon);
      note?.({ from, to, isChanged, quiet });
    };
    let day = dayOf(target.covered.first);
    for (const { after, atOrBefore } of changesOf(target, isRecordRead(target))) {
      const [from, to] = [Math.max(day, dayOf(after)), dayOf(atOrBefore)];
      if (from > day) take(day, from, false);
      // Code and key may both have changed in one stretch.
      if (to < day) continue;
      take(from, Math.max(from, to), true);
      day = Math.max(from, to);
    }
    const end = dayOf(target.covered.newest);
    if (end > day) take(day, end, false);
    return ratio;
  }

  function learnShares(sample: readonly Alike[], beliefs: Float64Array): void {
    let assumed = evenShares();
    for (const kind of KINDS) {
      const places = [...sample.keys()].filter((place) => {
        const { target } = sample[place] as Alike;
        return target.covered !== undefined && kindOf(target) === kind;
      });
      const weights = places.map((place) => (sample[place] as Alike).accounts);
      let learnt = assumed;
      for (let round = 0; round < ROUNDS; round++) learnt = model.learn(beliefs, places, learnt, assumed, weights);
      shares.set(kind, learnt);
      // Who came later does as the others do, as long as nothing else is seen.
      if (kind === "first") assumed = learnt;
    }
  }

  return {
    common,
    /** What is believed of a target. `habits` is the same array each time. */
    of: (target: TargetHistory): Belief => ({ habits, ratio: believe(target, habits, 0), shares: sharesOf(target) }),
    /** Learns the shares of habits of each kind, and in which nights many changed at once. */
    learn: (sample: readonly Alike[]): void => {
      const beliefs = new Float64Array(sample.length * BELIEF_SIZE);
      const ratios = new Float64Array(sample.length);
      const accounts = sample.map((alike) => alike.accounts);
      for (let round = 0; ; round++) {
        const seen: SeenStretch[] = [];
        const ends = sample.map(({ target, accounts }, place) => {
          const note = (stretch: Reading): void => void seen.push({ ...stretch, accounts, follows: 0 });
          ratios[place] = believe(target, beliefs, place * BELIEF_SIZE, note);
          return seen.length;
        });
        learnShares(sample, beliefs);
        if (round === COMMON_ROUNDS) return;
        common.learnShare(ratios, accounts);
        for (const [place, end] of ends.entries()) {
          const follows = common.follows(ratios[place] as number);
          for (let stretch = ends[place - 1] ?? 0; stretch < end; stretch++) (seen[stretch] as SeenStretch).follows = follows;
        }
        common.learn(seen);
      }
    },
  };
}

/** What changed of a target, oldest first: a rotated key is a change as new code is, where the record is read. */
export function changesOf({ codeChanges, keyRotations }: TargetHistory, isRecordRead: boolean): TargetHistory["codeChanges"] {
  if (keyRotations.length === 0 || !isRecordRead) return codeChanges;
  return [...codeChanges, ...keyRotations].sort((a, b) => compare(a.atOrBefore, b.atOrBefore));
}
