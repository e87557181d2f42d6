import { WEEK } from "./habits.ts";
import { makeStretch, type Stretch } from "./stretch.ts";

/** Stretches that end in one night and begin in any of the nights before are at most as many as these nights; so many are kept. */
const STRETCHES_KEPT = 2000;
/** Moments are told apart by quarters of an hour. */
const STEPS_A_DAY = 96;

/** Stretches of days, each made once. */
export class Stretches {
  readonly #decay: number;
  readonly #made = new Map<number, Stretch>();

  /** What is found loses its worth at `decay` a day. */
  constructor(decay: number) {
    this.#decay = decay;
  }

  between(from: number, to: number): Stretch {
    const phase = Math.round((((from % WEEK) + WEEK) % WEEK) * STEPS_A_DAY);
    // Two readings at one moment, as where nothing tells their times, are a step apart.
    const steps = Math.max(1, Math.round((to - from) * STEPS_A_DAY));
    const key = steps * WEEK * STEPS_A_DAY + phase;
    let stretch = this.#made.get(key);
    if (stretch === undefined) {
      stretch = makeStretch(phase / STEPS_A_DAY, steps / STEPS_A_DAY, this.#decay);
      if (this.#made.size >= STRETCHES_KEPT) this.#made.clear();
      this.#made.set(key, stretch);
    }
    return stretch;
  }
}
