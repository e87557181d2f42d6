import TinyQueue from "tinyqueue";
import type { Life } from "../horizon/horizon.ts";

/** A snapshot that is wanted, and the requests that reading what is left of it takes. */
export type Job = { readonly version: bigint; readonly requests: number };

/** What can be done: how long a request takes at the pace allowed, how many may still be sent, how long versions live. */
export type Means = {
  readonly msPerRequest: number;
  /** Requests left in this run's budget; infinite without one. */
  readonly budget: number;
  /** Milliseconds from now until a version is unreadable; undefined when nobody can tell, which counts as long enough. */
  readonly leftMs: (version: bigint) => Life | undefined;
};

/** Why a job is not taken on: it is gone; it cannot be finished before it is gone; the budget ends first, and another run may do it. */
export type Refusal = { readonly job: Job; readonly why: "pruned" | "time" | "budget" };

/** Which jobs are taken on, in the order in which to do them, and which are not. */
export type Admission = { readonly order: readonly Job[]; readonly refused: readonly Refusal[] };

/** Where not everything can be saved, work is planned to take this much longer than the pace says. */
const SAFETY = 1.02;

/** A job in hand is not yet in vain when it needs this much longer than is expected: giving up too early costs as much as too late. */
const IN_VAIN = 1.1;

const ENDLESS: Life = { best: Number.POSITIVE_INFINITY, expected: Number.POSITIVE_INFINITY, worst: Number.POSITIVE_INFINITY };

/**
 * Which of the wanted snapshots can still be saved, and in which order.
 *
 * Earliest deadline first alone collapses under overload: everything is a little late, and nothing is saved. So jobs that
 * cannot all be done are dropped first, in the way that leaves most of them (Moore and Hodgson): taking them by deadline,
 * the dearest of those so far is dropped whenever one would be late. Older versions always die before newer ones.
 *
 * Deadlines are what to expect of the horizon, not the worst: dropping all that a leap might take loses more than leaps
 * do, as `test/bench/backfill/simulation.ts` measures. Instead everything is decided anew with each answer's horizon.
 */
export function admit(jobs: readonly Job[], means: Means): Admission {
  const hopeful = admitWithin(jobs, means, 1);
  return hopeful.refused.some(({ why }) => why === "time") ? admitWithin(jobs, means, SAFETY) : hopeful;
}

/**
 * The job to do next: the earliest deadline among those taken on. But a refused one that lives long enough at best goes
 * first when that makes none of the others late: to try costs nothing then. Where the budget suffices for no job whole,
 * the first is begun, for another run to finish. Undefined when every job would be left half done.
 */
export function nextJob(jobs: readonly Job[], means: Means): Job | undefined {
  const { order, refused } = admit(jobs, { ...means, budget: Number.POSITIVE_INFINITY });
  const planned = order.reduce((sum, { requests }) => sum + requests, 0);
  const tries = refused.filter(
    ({ job, why }) =>
      why === "time" &&
      (order[0] === undefined || job.version < order[0].version) &&
      job.requests * means.msPerRequest <= lifeOf(job, means).best &&
      planned + job.requests <= means.budget,
  );
  return byDeadline(tries.map(({ job }) => job)).find((job) => delaysNobody(job, order, means)) ?? order[0];
}

/** Whether a job can be done before its turn: it makes none of those taken on late. */
export function delaysNobody(job: Job, order: readonly Job[], means: Means): boolean {
  return areInTime(
    order.filter((other) => other !== job),
    means,
    job.requests,
  );
}

/** Whether to leave a job that is being done: it cannot be finished any more, and going on would make others late. */
export function isInVain(job: Job, others: readonly Job[], means: Means): boolean {
  const life = lifeOf(job, means);
  const needMs = job.requests * means.msPerRequest;
  if (needMs <= IN_VAIN * life.expected || needMs <= life.best) return false;
  const { order } = admit(others, { ...means, budget: Number.POSITIVE_INFINITY });
  return !areInTime(order, means, Math.min(needMs, life.best) / means.msPerRequest);
}

/** Whether a job has to begin now to be safe even if the horizon does its worst: as much time again would be too much. */
export function isUrgent(job: Job, means: Means): boolean {
  return 2 * job.requests * means.msPerRequest > lifeOf(job, means).worst;
}

function admitWithin(jobs: readonly Job[], means: Means, safety: number): Admission {
  const refused: Refusal[] = [];
  const kept = new Set<Job>();
  // Of equally dear ones the oldest is dropped: that leaves most time for a leap in between.
  const dearest = new TinyQueue<Job>([], (a, b) => b.requests - a.requests || (a.version < b.version ? -1 : 1));
  let requests = 0;
  for (const job of byDeadline(jobs)) {
    const life = lifeOf(job, means);
    if (life.best === 0) {
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

/** Whether jobs done one after the other are all in time when so many requests are sent before them. */
function areInTime(order: readonly Job[], means: Means, requestsBefore: number): boolean {
  let requests = requestsBefore;
  return order.every((job) => {
    requests += job.requests;
    return requests * means.msPerRequest * SAFETY <= lifeOf(job, means).expected;
  });
}

function lifeOf({ version }: Job, means: Means): Life {
  return means.leftMs(version) ?? ENDLESS;
}

function byDeadline(jobs: readonly Job[]): Job[] {
  return [...jobs].sort((a, b) => (a.version < b.version ? -1 : a.version > b.version ? 1 : 0));
}
