import type { Estimate } from "../horizon/horizon-forecast.ts";

/** A wanted snapshot, and the requests that it takes to read what is left of it. */
export type Job = { readonly version: bigint; readonly requests: number };

/** The inputs of a plan: the time of a request at the allowed pace, the requests left, and how long each version stays readable. */
export type Means = {
  readonly msPerRequest: number;
  /** Requests left in this run's budget; infinite without one. */
  readonly budget: number;
  /** Milliseconds from now until a version is unreadable; undefined while the horizon's speed is unknown, which counts as long enough. */
  readonly leftMs: (version: bigint) => Estimate<number> | undefined;
};

/** Why a job is left out: its version is pruned, or will be before the job is done; or the budget ends first, and another run may do it. */
export type Refusal = "pruned" | "time" | "budget";

/** Jobs are planned to take this much longer than the pace gives. */
const SAFETY = 1.02;

export type JobPlan = { readonly order: readonly Job[]; readonly refused: ReadonlyMap<bigint, Refusal> };

/**
 * The jobs that can be done, oldest first, which is the order in which they die. One that would be late after those before it is left
 * out: to begin each and finish none would save nothing. `jobs` are oldest first.
 */
export function planJobs(jobs: readonly Job[], { msPerRequest, budget, leftMs }: Means): JobPlan {
  const order: Job[] = [];
  const refused = new Map<bigint, Refusal>();
  let requests = 0;
  for (const job of jobs) {
    const left = leftMs(job.version)?.expected ?? Number.POSITIVE_INFINITY;
    const needed = requests + job.requests;
    const why = left === 0 ? "pruned" : needed * msPerRequest * SAFETY > left ? "time" : needed > budget ? "budget" : undefined;
    if (why === undefined) {
      order.push(job);
      requests = needed;
    } else refused.set(job.version, why);
  }
  return { order, refused };
}

/** Known request times: how many requests took how long, and the shortest time that the rate allows (0: no limit). */
type Sent = { readonly requests: number; readonly elapsedMs: number; readonly allowedMs: number };

/** The time assumed for a request before any was measured, without a rate and one at a time. */
const FIRST_GUESS_MS = 50;

/** How many measured requests the assumption before them counts as: a few slow answers at the beginning must not make a plan hopeless. */
const RATE_WEIGHT = 200;
const GUESS_WEIGHT = 10;

/**
 * The planned milliseconds from one request to the next: the time measured since the run began, weighted with that of the
 * rate allowed or, without a rate, with a guess for `concurrency` requests at a time. Never less than the rate allows.
 */
export function msPerRequest({ requests, elapsedMs, allowedMs }: Sent, concurrency: number): number {
  const [before, weight] = allowedMs > 0 ? [allowedMs, RATE_WEIGHT] : [FIRST_GUESS_MS / concurrency, GUESS_WEIGHT];
  return Math.max(allowedMs, (elapsedMs + before * weight) / (requests + weight));
}
