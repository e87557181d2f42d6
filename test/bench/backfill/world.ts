import { seededRandom } from "../../../src/base/random.ts";
import type { HeadSample } from "../../../src/crawl/horizon/horizon-forecast.ts";

/**
 * How the horizon moves: evenly; in hourly batches; in hourly batches with two leaps by which an operator shortens the
 * window. `uneven` are batches with one request in ten taking eight times as long as the rest.
 */
export const worlds = ["steady", "batches", "leaps", "uneven"] as const;
export type WorldKind = (typeof worlds)[number];

/** Snapshots wanted, and requests for each. */
export const WANTED = 40;
export const REQUESTS = 100;

/** Milliseconds, and versions, between two wanted snapshots; versions that the ledger commits in a second. */
const STEP_MS = 4 * 3_600_000;
const PER_SECOND = 100;
const STEP = BigInt((STEP_MS / 1000) * PER_SECOND);
const HOUR_MS = 3_600_000;
const BATCH = 3_600 * PER_SECOND;
const START = 100n * STEP;

/** A node and its horizon in simulated time, which begins at 0, and the pace at which it answers. */
export type World = {
  /** The versions wanted, oldest first. The first dies one step after the beginning, the next one step later, leaps aside. */
  readonly wanted: readonly bigint[];
  /** What a request takes on average, in milliseconds. */
  readonly msPerRequest: number;
  /** What the nth pair of requests takes, in milliseconds: the same whatever is asked for. */
  readonly pairMs: (n: number) => number;
  readonly oldestAt: (ms: number) => bigint;
  readonly sampleAt: (ms: number) => HeadSample;
  /** The moment at which a version becomes unreadable, if no leap came after `knownMs`; with all leaps by default. */
  readonly deathOf: (version: bigint, knownMs?: number) => number;
};

/** One world: `load` is the time that reading everything takes, as a multiple of the time in which everything dies. */
export function makeWorld(kind: WorldKind, load: number, seed: number): World {
  const random = seededRandom(seed);
  const leaps =
    kind === "leaps"
      ? [0.2, 0.6].map((share) => ({ atMs: (share + 0.2 * random()) * WANTED * STEP_MS, by: Number(STEP) * (1 + 2 * random()) }))
      : [];
  const oldestAt = (ms: number, knownMs = ms): bigint => {
    const steady = (ms / 1000) * PER_SECOND;
    const even = kind === "steady" ? steady : Math.floor(steady / BATCH) * BATCH;
    const leapt = leaps.reduce((sum, { atMs, by }) => sum + (atMs <= ms && atMs <= knownMs ? by : 0), 0);
    return START + BigInt(Math.floor(even + leapt));
  };
  const headAt = (ms: number): bigint => START + BigInt(WANTED + 10) * STEP + BigInt(Math.floor((ms / 1000) * PER_SECOND));
  const msPerRequest = (load * STEP_MS) / REQUESTS;
  const pace = seededRandom(seed + 1_000);
  const pairs: number[] = [];
  return {
    wanted: Array.from({ length: WANTED }, (_, index) => START + BigInt(index + 1) * STEP),
    msPerRequest,
    pairMs: (n) => {
      while (pairs.length <= n) pairs.push(2 * msPerRequest * (kind === "uneven" ? (pace() < 0.1 ? 8 : 1) / 1.7 : 1));
      return pairs[n] as number;
    },
    oldestAt: (ms) => oldestAt(ms),
    sampleAt: (ms) => ({ sampledAt: ms, headVersion: headAt(ms), oldestVersion: oldestAt(ms) }),
    deathOf: (version, knownMs = Number.POSITIVE_INFINITY) => {
      let [alive, dead] = [0, 2 * WANTED * STEP_MS];
      while (dead - alive > 1) {
        const middle = Math.floor((alive + dead) / 2);
        if (oldestAt(middle, knownMs) > version) dead = middle;
        else alive = middle;
      }
      return dead;
    },
  };
}

/** Two days of an earlier watch, asked twice an hour. */
export function earlierSamples({ sampleAt }: World): HeadSample[] {
  return Array.from({ length: 96 }, (_, i) => sampleAt((i - 96) * (HOUR_MS / 2)));
}

/** How often the watch keeps a sample while backfill runs, in milliseconds. */
export const SAMPLE_MS = HOUR_MS / 4;

/** The most snapshots that anybody could save who knew everything beforehand, every leap and every answer's pace (Moore and Hodgson). */
export function mostThatCanBeSaved(world: World): number {
  const doneAt: number[] = [0];
  for (let job = 0, ms = 0; job < WANTED; job++) {
    for (let pair = 0; pair < REQUESTS / 2; pair++) ms += world.pairMs((job * REQUESTS) / 2 + pair);
    doneAt.push(ms);
  }
  // All cost the same, so it does not matter which is dropped when one would be late.
  return world.wanted.reduce((saved, version) => ((doneAt[saved + 1] as number) <= world.deathOf(version) ? saved + 1 : saved), 0);
}
