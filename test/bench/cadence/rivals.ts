import { whittleIndex } from "../../../src/crawl/cadence/stretches.ts";
import { type Chooser, HALF_LIFE } from "./play.ts";
import type { World } from "./worlds.ts";

const DECAY = Math.LN2 / HALF_LIFE;
const lasting = (age: number): number => (1 - Math.exp(-DECAY * age)) / DECAY;

/** Everybody in turn. */
export function roundRobin(): Chooser {
  return {
    score: (night, listed, readAt, into) => {
      for (let i = 0; i < listed; i++) into[i] = night - (readAt[i] as number);
    },
  };
}

/** Cho and Garcia-Molina 2003: the most likely rate, with their estimator's extra half change and half quiet day. */
export class Estimates {
  readonly rate: Float64Array;
  readonly #quiet: Float64Array;
  readonly #changed: Uint16Array;
  readonly #gaps: number;
  constructor(accounts: number, nights: number) {
    this.rate = new Float64Array(accounts).fill(0.1);
    this.#quiet = new Float64Array(accounts);
    this.#gaps = nights;
    this.#changed = new Uint16Array(accounts * nights);
  }
  saw(account: number, from: number, to: number, isChanged: boolean): void {
    const gap = to - from;
    const row = account * this.#gaps;
    if (isChanged) this.#changed[row + gap] = (this.#changed[row + gap] as number) + 1;
    else this.#quiet[account] = (this.#quiet[account] as number) + gap;
    let rate = this.rate[account] as number;
    const target = (this.#quiet[account] as number) + 0.5;
    for (let step = 0; step < 8; step++) {
      let sum = 0.5 / Math.expm1(rate);
      let slope = (-0.5 * Math.exp(rate)) / Math.expm1(rate) ** 2;
      for (let g = 1; g < this.#gaps; g++) {
        const count = this.#changed[row + g] as number;
        if (count === 0) continue;
        const e = Math.expm1(rate * g);
        sum += (count * g) / e;
        slope -= (count * g * g * (e + 1)) / (e * e);
      }
      // Newton on the logarithm, which keeps the rate above nothing.
      const move = Math.max(-1.5, Math.min(1.5, ((sum / target - 1) * target) / (-slope * rate)));
      rate = Math.min(10, Math.max(1e-5, rate * Math.exp(move)));
      if (Math.abs(move) < 1e-3) break;
    }
    this.rate[account] = rate;
  }
}

/** What finds the most by these rates tonight. */
export function greedy(estimates: Estimates): Chooser {
  return {
    saw: (...seen) => estimates.saw(...seen),
    score: (night, listed, readAt, into) => {
      for (let i = 0; i < listed; i++) into[i] = (estimates.rate[i] as number) * lasting(night - (readAt[i] as number));
    },
  };
}

/** Azar et al. 2018: the greedy policy of their index of freshness, each account as important as it changes often. */
export function azar(estimates: Estimates): Chooser {
  return {
    saw: (...seen) => estimates.saw(...seen),
    score: (night, listed, readAt, into) => {
      for (let i = 0; i < listed; i++) {
        const x = (estimates.rate[i] as number) * (night - (readAt[i] as number));
        into[i] = 1 - Math.exp(-x) * (1 + x);
      }
    },
  };
}

/**
 * Kolobov et al. 2019: reading rates with the least harmonic staleness. Reads the targets that have waited for most of their own readings.
 */
export function kolobov(estimates: Estimates, budget: number): Chooser {
  let price = 1;
  return {
    saw: (...seen) => estimates.saw(...seen),
    score: (night, listed, readAt, into) => {
      const reading = (rate: number): number => (Math.sqrt(rate * rate + (4 * rate) / price) - rate) / 2;
      for (let step = 0; step < 12; step++) {
        let sum = 0;
        for (let i = 0; i < listed; i++) sum += reading(estimates.rate[i] as number);
        price *= (sum / (budget * listed)) ** 1.5;
      }
      for (let i = 0; i < listed; i++) into[i] = reading(estimates.rate[i] as number) * (night - (readAt[i] as number));
    },
  };
}

const LEVELS = Float64Array.from({ length: 11 }, (_, k) => 0.001 * 4000 ** (k / 10));
const HAZARD = 1 / 45;
/** A hidden Markov model of eleven rates; each night one account in 45 draws a new one, from what all have. */
export function switching(accounts: number): Chooser {
  const K = LEVELS.length;
  const belief = new Float64Array(accounts * K).fill(1 / K);
  const usual = new Float64Array(K).fill(1 / K);
  const [none, all] = [new Float64Array(K), new Float64Array(K)];
  let mean = 0;
  return {
    saw: (account, from, to, isChanged) => {
      const at = account * K;
      for (let k = 0; k < K; k++) none[k] = all[k] = belief[at + k] as number;
      for (let night = from; night < to; night++) {
        let [n, a] = [0, 0];
        for (let k = 0; k < K; k++) {
          none[k] = (none[k] as number) * Math.exp(-(LEVELS[k] as number));
          n += none[k] as number;
          a += all[k] as number;
        }
        for (let k = 0; k < K; k++) {
          none[k] = (none[k] as number) * (1 - HAZARD) + n * HAZARD * (usual[k] as number);
          all[k] = (all[k] as number) * (1 - HAZARD) + a * HAZARD * (usual[k] as number);
        }
      }
      let sum = 0;
      for (let k = 0; k < K; k++) {
        const chance = Math.max(1e-12, isChanged ? (all[k] as number) - (none[k] as number) : (none[k] as number));
        belief[at + k] = chance;
        sum += chance;
      }
      for (let k = 0; k < K; k++) {
        belief[at + k] = (belief[at + k] as number) / sum;
      }
    },
    score: (night, listed, readAt, into) => {
      const counts = new Float64Array(K);
      for (let i = 0; i < listed; i++) for (let k = 0; k < K; k++) counts[k] = (counts[k] as number) + (belief[i * K + k] as number);
      for (let k = 0; k < K; k++) usual[k] = ((counts[k] as number) + 1 / K) / (listed + 1);
      mean = LEVELS.reduce((s, level, k) => s + level * (usual[k] as number), 0);
      for (let i = 0; i < listed; i++) {
        let rate = 0;
        for (let k = 0; k < K; k++) rate += (belief[i * K + k] as number) * (LEVELS[k] as number);
        const age = night - (readAt[i] as number);
        const speed = HAZARD;
        into[i] = mean * lasting(age) + ((rate - mean) * (Math.exp(-speed * age) - Math.exp(-DECAY * age))) / (DECAY - speed);
      }
    },
  };
}

/** Knows rates: the mean of each account's, or those of every night so far. */
export function oracle(world: World, knows: "mean" | "now", by: "worth" | "index"): Chooser {
  const { accounts, nights, rate, listedAt } = world;
  const mean = new Float64Array(accounts);
  for (let i = 0; i < accounts; i++) {
    const from = listedAt[i] as number;
    for (let t = from; t < nights; t++) mean[i] = (mean[i] as number) + (rate[t * accounts + i] as number) / (nights - from);
  }
  const worth = new Float64Array(accounts);
  const day = lasting(1);
  return {
    saw: (account) => {
      worth[account] = 0;
    },
    first: (account) => {
      worth[account] = 0;
    },
    score: (night, listed, readAt, into) => {
      for (let i = 0; i < listed; i++) {
        const now = knows === "mean" ? (mean[i] as number) : (rate[night * accounts + i] as number);
        const isNew = readAt[i] === night;
        worth[i] = isNew ? 0 : (worth[i] as number) * Math.exp(-DECAY) + now * day;
        into[i] = by === "worth" ? (worth[i] as number) : whittleIndex(worth[i] as number, now, DECAY);
      }
    },
  };
}
