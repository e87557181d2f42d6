import TinyQueue from "tinyqueue";
import { compare } from "../../base/sorted.ts";
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

/** Why a job is refused: its version is pruned, or will be before the job is done; or the budget ends first, and another run may do it. */
export type RefusedJob = { readonly job: Job; readonly why: "pruned" | "time" | "budget" };

export type Admission = { readonly order: readonly Job[]; readonly refused: readonly RefusedJob[] };

/** Where not everything can be saved, jobs are planned to take this much longer than the pace gives. */
const SAFETY = 1.02;

/** A job under way is given up only if it needs this much longer than is expected to be left: too early costs as much as too late. */
const IN_VAIN = 1.1;

const ENDLESS: Estimate<number> = { expected: Number.POSITIVE_INFINITY, worst: Number.POSITIVE_INFINITY };

/**
 * Which wanted snapshots can still be saved, and in which order. Earliest deadline first collapses under overload, so the most
 * expensive is dropped whenever one would be late (Moore and Hodgson). Deadlines are the expected ones: planning for every leap
 * loses more.
 */
export function admit(jobs: readonly Job[], means: Means): Admission {
  const hopeful = admitWithin(jobs, means, 1);
  return hopeful.refused.some(({ why }) => why === "time") ? admitWithin(jobs, means, SAFETY) : hopeful;
}

/**
 * The job to do next: the accepted one with the earliest deadline, or a refused one that may still be readable and makes no other
 * late. Where the budget suffices for no whole job, the first is begun. Undefined when none can be done.
 */
export function nextJob(jobs: readonly Job[], means: Means): Job | undefined {
  const { order, refused } = admit(jobs, { ...means, budget: Number.POSITIVE_INFINITY });
  const planned = order.reduce((sum, { requests }) => sum + requests, 0);
  const tries = refused.filter(
    ({ job, why }) =>
      why === "time" &&
      (order[0] === undefined || job.version < order[0].version) &&
      job.requests * means.msPerRequest <= lifeOf(job, means).expected &&
      planned + job.requests <= means.budget,
  );
  return byDeadline(tries.map(({ job }) => job)).find((job) => delaysNoOther(job, order, means)) ?? order[0];
}

/** Whether a job can be done out of turn without making any accepted one late. */
export function delaysNoOther(job: Job, order: readonly Job[], means: Means): boolean {
  const others = order.filter((other) => other !== job);
  return areInTime(others, means, job.requests);
}

/** Whether to give up a job under way: it can no longer be finished, and going on would make others late. */
export function shouldGiveUp(job: Job, others: readonly Job[], means: Means): boolean {
  const life = lifeOf(job, means);
  const needMs = job.requests * means.msPerRequest;
  if (needMs <= IN_VAIN * life.expected) return false;
  const { order } = admit(others, { ...means, budget: Number.POSITIVE_INFINITY });
  return !areInTime(order, means, life.expected / means.msPerRequest);
}

/** Whether a job has to begin now to be safe in the worst case: it has less than twice the time that it needs. */
export function isUrgent(job: Job, means: Means): boolean {
  return 2 * job.requests * means.msPerRequest > lifeOf(job, means).worst;
}

function admitWithin(jobs: readonly Job[], means: Means, safety: number): Admission {
  const refused: RefusedJob[] = [];
  const kept = new Set<Job>();
  // Of equally expensive ones the oldest is dropped: that leaves most time in case of a leap.
  const dearest = new TinyQueue<Job>([], (a, b) => b.requests - a.requests || (a.version < b.version ? -1 : 1));
  let requests = 0;
  for (const job of byDeadline(jobs)) {
    const life = lifeOf(job, means);
    if (life.expected === 0) {
      refused.push({ job, why: "pruned" });
      continue;
    }
    kept.add(job);
    dearest.push(job);
    requests += job.requests;
    if (requests * means.msPerRequest * safety <= life.expected) continue;
    const dropped = dearest.pop() as Job;
    kept.delete(dropped);
    requests -= dropped.requests;
    refused.push({ job: dropped, why: "time" });
  }
  const order = [...kept];
  let affordable = order.length;
  for (let left = requests; left > means.budget; left -= (order[affordable] as Job).requests) affordable -= 1;
  for (const job of order.splice(affordable)) refused.push({ job, why: "budget" });
  return { order, refused };
}

/** Whether jobs done one after the other are all in time when `requestsBefore` requests are sent before them. */
function areInTime(order: readonly Job[], means: Means, requestsBefore: number): boolean {
  let requests = requestsBefore;
  return order.every((job) => {
    requests += job.requests;
    return requests * means.msPerRequest * SAFETY <= lifeOf(job, means).expected;
  });
}

function lifeOf({ version }: Job, means: Means): Estimate<number> {
  return means.leftMs(version) ?? ENDLESS;
}

function byDeadline(jobs: readonly Job[]): Job[] {
  return jobs.toSorted((a, b) => compare(a.version, b.version));
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
