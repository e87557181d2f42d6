import { compare } from "../../base/sorted.ts";
import type { TargetHistory } from "../../work/targets/target-histories.ts";
import { BELIEF_SIZE, ChangeModel, evenShares, type Shares } from "./change-model.ts";
import { CommonNights, type Reading, ratioAfter, type SeenStretch } from "./common-nights.ts";
import type { Stretches } from "./stretches.ts";

/** The unit of rates and ages. */
export const DAY_MS = 86_400_000;

/** When a version was made, in milliseconds since 1970. */
export type TimeOf = (version: bigint) => number;

/** What is believed of one account: what of its habits, and how many times as probable its history is if it follows what changes many. */
export type Belief = { readonly habits: Float64Array; readonly shares: Shares; readonly ratio: number };

export type Alike = { readonly target: TargetHistory; accounts: number };

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

/** What is believed of targets after all their readings, learnt from a sample of them. */
export class TargetBeliefs {
  readonly #options: BeliefOptions;
  readonly #model: ChangeModel;
  readonly #shares = new Map<Kind, Shares>(KINDS.map((kind) => [kind, evenShares()]));
  readonly #habits = new Float64Array(BELIEF_SIZE);
  readonly common: CommonNights;

  /** What is found loses its worth at `decay` a day; from night to night are `nightly` days. */
  constructor(stretches: Stretches, options: BeliefOptions, decay: number, nightly: number) {
    this.#options = options;
    this.#model = new ChangeModel(stretches);
    const nights = options.sealed.map((version) => options.timeOf(version) / DAY_MS);
    this.common = new CommonNights(nights, options.nowMs / DAY_MS, decay, nightly);
  }

  /** What is believed of a target. `habits` is the same array each time. */
  of(target: TargetHistory): Belief {
    const ratio = this.#believe(target, this.#habits, 0);
    return { habits: this.#habits, shares: this.#sharesOf(target), ratio };
  }

  /** Learns the shares of habits of each kind, and in which nights many changed at once. */
  learn(sample: readonly Alike[]): void {
    const beliefs = new Float64Array(sample.length * BELIEF_SIZE);
    const ratios = new Float64Array(sample.length);
    const accounts = sample.map((alike) => alike.accounts);
    for (let round = 0; ; round++) {
      const seen: SeenStretch[] = [];
      const ends = sample.map(({ target, accounts }, place) => {
        const note = (stretch: Reading): void => void seen.push({ ...stretch, accounts, follows: 0 });
        ratios[place] = this.#believe(target, beliefs, place * BELIEF_SIZE, note);
        return seen.length;
      });
      this.#learnShares(sample, beliefs);
      if (round === COMMON_ROUNDS) return;
      this.common.learnShare(ratios, accounts);
      for (const [place, end] of ends.entries()) {
        const follows = this.common.follows(ratios[place] as number);
        for (let stretch = ends[place - 1] ?? 0; stretch < end; stretch++) (seen[stretch] as SeenStretch).follows = follows;
      }
      this.common.learn(seen);
    }
  }

  #learnShares(sample: readonly Alike[], beliefs: Float64Array): void {
    let assumed = evenShares();
    for (const kind of KINDS) {
      const places = [...sample.keys()].filter((place) => {
        const { target } = sample[place] as Alike;
        return target.covered !== undefined && this.#kindOf(target) === kind;
      });
      const weights = places.map((place) => (sample[place] as Alike).accounts);
      let shares = assumed;
      for (let round = 0; round < ROUNDS; round++) shares = this.#model.learn(beliefs, places, shares, assumed, weights);
      this.#shares.set(kind, shares);
      // Who came later does as the others do, as long as nothing else is seen.
      if (kind === "first") assumed = shares;
    }
  }

  /** Takes in all readings of a target, and gives how many times as probable they are if it follows what changes many. */
  #believe(target: TargetHistory, habits: Float64Array, at: number, note?: (stretch: Reading) => void): number {
    this.#model.begin(habits, at);
    let ratio = 1;
    if (target.covered === undefined) return ratio;
    const shares = this.#sharesOf(target);
    const take = (from: number, to: number, isChanged: boolean): void => {
      const quiet = this.#model.chanceOfNone(habits, at, shares, from, to);
      const uncommon = this.common.chanceOfNone(from, to);
      this.#model.observe(habits, at, from, to, isChanged, this.common.follows(ratio) * (1 - uncommon));
      ratio = ratioAfter(ratio, isChanged, quiet, uncommon);
      note?.({ from, to, isChanged, quiet });
    };
    const dayOf = (version: bigint): number => this.#options.timeOf(version) / DAY_MS;
    let day = dayOf(target.covered.first);
    for (const { after, atOrBefore } of changesOf(target, this.#options.isRecordRead(target))) {
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

  #sharesOf(target: TargetHistory): Shares {
    return this.#shares.get(this.#kindOf(target)) as Shares;
  }

  #kindOf({ hadModules, covered }: TargetHistory): Kind {
    if (!hadModules) return covered === undefined ? "later" : "without code";
    return covered?.first === this.#options.sealed[0] ? "first" : "later";
  }
}

/** What changed of a target, oldest first: a rotated key is a change as new code is, where the record is read. */
export function changesOf({ codeChanges, keyRotations }: TargetHistory, isRecordRead: boolean): TargetHistory["codeChanges"] {
  if (keyRotations.length === 0 || !isRecordRead) return codeChanges;
  return [...codeChanges, ...keyRotations].sort((a, b) => compare(a.atOrBefore, b.atOrBefore));
}
