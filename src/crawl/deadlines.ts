import type { Spread } from "./outlook.ts";

/** A snapshot that is wanted, and the requests that reading what is left of it takes. */
export type Job = { readonly version: bigint; readonly requests: number };

/** What can be done: how long a request takes at the pace allowed, how many may still be sent, how long versions live. */
export type Means = {
  readonly msPerRequest: number;
  /** Requests left in this run's budget; infinite without one. */
  readonly budget: number;
  /** Milliseconds from now until a version is unreadable; undefined when nobody can tell, which counts as long enough. */
  readonly leftMs: (version: bigint) => Spread<number> | undefined;
};

/** Why a job is not taken on: it is gone; it cannot be finished before it is gone; the budget ends first, and another run may do it. */
export type Refusal = { readonly job: Job; readonly why: "pruned" | "time" | "budget" };

/** Which jobs are taken on, in the order in which to do them, and which are not. */
export type Admission = { readonly order: readonly Job[]; readonly refused: readonly Refusal[] };

/** Where not everything can be saved, work is planned to take this much longer than the pace says. */
const SAFETY = 1.02;

/** A job in hand is given up when it needs this much longer than it has: giving up too early is as costly as too late. */
const HOPELESS = 1.1;

/**
 * Which of the wanted snapshots can still be saved, and in which order.
 *
 * Earliest deadline first alone collapses under overload: everything is a little late, and nothing is saved. So jobs that
 * cannot all be done are dropped first, in the way that leaves most of them (Moore and Hodgson): taking them by deadline,
 * the dearest of those so far is dropped whenever one would be late. Older versions always die before newer ones.
 *
 * Deadlines are what to expect of the horizon, not the worst: dropping all that a leap might take loses more than leaps
 * do, as `test/bench/backfill-simulation.ts` measures. Instead everything is decided anew with each answer's horizon.
 */
export function admit(jobs: readonly Job[], means: Means): Admission {
  const hopeful = admitWithin(jobs, means, 1);
  return hopeful.refused.some(({ why }) => why === "time") ? admitWithin(jobs, means, SAFETY) : hopeful;
}

/**
 * The job to do next: the earliest deadline among those taken on. Where the budget suffices for no job whole, the first is
 * begun, for another run to finish. Undefined when every job would be left half done.
 */
export function nextJob(jobs: readonly Job[], means: Means): Job | undefined {
  const unbounded = { ...means, budget: Number.POSITIVE_INFINITY };
  return admit(jobs, means).order[0] ?? admit(jobs, unbounded).order[0] ?? admitWithin(jobs, unbounded, 1).order[0];
}

function admitWithin(jobs: readonly Job[], means: Means, safety: number): Admission {
  const byDeadline = [...jobs].sort((a, b) => (a.version < b.version ? -1 : a.version > b.version ? 1 : 0));
  const order: Job[] = [];
  const refused: Refusal[] = [];
  let requests = 0;
  for (const job of byDeadline) {
    const left = means.leftMs(job.version)?.expected ?? Number.POSITIVE_INFINITY;
    if (left === 0) {
      refused.push({ job, why: "pruned" });
      continue;
    }
    order.push(job);
    requests += job.requests;
    if (requests * means.msPerRequest * safety <= left) continue;
    const dearest = order.reduce((a, b) => (b.requests > a.requests ? b : a));
    order.splice(order.indexOf(dearest), 1);
    requests -= dearest.requests;
    refused.push({ job: dearest, why: "time" });
  }
  let affordable = order.length;
  for (let left = requests; left > means.budget; left -= (order[affordable] as Job).requests) affordable -= 1;
  for (const job of order.splice(affordable)) refused.push({ job, why: "budget" });
  return { order, refused };
}

/** Whether a job that is being done cannot be finished any more. */
export function isHopeless(job: Job, means: Means): boolean {
  const left = means.leftMs(job.version);
  return left !== undefined && job.requests * means.msPerRequest > HOPELESS * left.expected;
}

/** Whether a job has to begin now to be safe even if the horizon does its worst: as much time again would be too much. */
export function isUrgent(job: Job, means: Means): boolean {
  const left = means.leftMs(job.version);
  return left !== undefined && 2 * job.requests * means.msPerRequest > left.worst;
}
