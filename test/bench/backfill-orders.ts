import { isHopeless, type Job, type Means, nextJob } from "../../src/crawl/deadlines.ts";
import type { HeadSample } from "../../src/crawl/horizon.ts";
import { outlookOf } from "../../src/crawl/outlook.ts";
import { seededRandom } from "../support/sim-ledger/faults/prng.ts";

/** The orders compared: backfill's own, and three that a simpler tool might take. */
export const orders = ["deadline", "oldest", "newest", "random"] as const;
export type Order = (typeof orders)[number];

/** How the horizon moves: evenly; in hourly batches; in hourly batches with leaps by which an operator shortens the window. */
export const horizons = ["steady", "batches", "leaps"] as const;
export type HorizonKind = (typeof horizons)[number];

/** One simulated backfill. */
export type Scenario = {
  readonly order: Order;
  readonly horizon: HorizonKind;
  /** Time that reading everything takes, as a multiple of the time in which everything dies: above 1 not all can be saved. */
  readonly load: number;
  readonly seed: number;
};

/** What came of it: snapshots saved whole, and snapshots begun and not finished. */
export type Outcome = { readonly saved: number; readonly halfRead: number };

/** Snapshots wanted, accounts in each, and the versions and milliseconds between two of them. */
export const WANTED = 40;
const ACCOUNTS = 50;
const STEP_MS = 4 * 3_600_000;
const PER_SECOND = 100;
const STEP = BigInt((STEP_MS / 1000) * PER_SECOND);
const HOUR_MS = 3_600_000;
const BATCH = 3_600 * PER_SECOND;
const START = 100n * STEP;

/** Plays one backfill through, request by request, in simulated time. What backfill knows of the horizon is what it has sampled. */
export function simulate({ order, horizon, load, seed }: Scenario): Outcome {
  const random = seededRandom(seed);
  const leaps =
    horizon === "leaps"
      ? [0.2, 0.6].map((share) => ({ atMs: (share + 0.2 * random()) * WANTED * STEP_MS, by: Number(STEP) * (1 + 2 * random()) }))
      : [];
  const oldestAt = (ms: number): bigint => {
    const steady = (ms / 1000) * PER_SECOND;
    const even = horizon === "steady" ? steady : Math.floor(steady / BATCH) * BATCH;
    return START + BigInt(Math.floor(even + leaps.reduce((sum, leap) => sum + (ms >= leap.atMs ? leap.by : 0), 0)));
  };
  const headAt = (ms: number): bigint => START + BigInt(WANTED + 10) * STEP + BigInt(Math.floor((ms / 1000) * PER_SECOND));
  const sampleAt = (ms: number): HeadSample => ({ atMs: ms, headVersion: headAt(ms), oldestVersion: oldestAt(ms) });

  const requests = 2 * ACCOUNTS;
  const msPerRequest = (load * STEP_MS) / requests;
  // Two days of earlier nights, asked twice an hour.
  const samples: HeadSample[] = Array.from({ length: 96 }, (_, i) => sampleAt((i - 96) * (HOUR_MS / 2)));
  let now = 0;
  let known = outlookOf("node", [...samples, sampleAt(0)]);
  const listen = (): void => {
    if (now - (samples.at(-1) as HeadSample).atMs >= HOUR_MS / 4) samples.push(sampleAt(now));
    known = outlookOf("node", [...samples.slice(-200), sampleAt(now)]);
  };
  const means = (): Means => ({ msPerRequest, budget: Number.POSITIVE_INFINITY, leftMs: (version) => known.leftMs(version, now) });

  let open: Job[] = Array.from({ length: WANTED }, (_, index) => ({ version: START + BigInt(index + 1) * STEP, requests }));
  const outcome = { saved: 0, halfRead: 0 };
  for (;;) {
    listen();
    open = open.filter(({ version }) => version >= oldestAt(now));
    const job = choose(order, open, means(), random);
    if (job === undefined) return outcome;
    let left = requests;
    while (left > 0 && job.version >= oldestAt(now)) {
      now += 2 * msPerRequest;
      left -= 2;
      listen();
      if (order === "deadline" && left > 0 && isHopeless({ version: job.version, requests: left }, means())) break;
    }
    open = open.filter((other) => other !== job);
    if (left === 0 && job.version >= oldestAt(now)) outcome.saved += 1;
    else outcome.halfRead += 1;
  }
}

function choose(order: Order, open: readonly Job[], means: Means, random: () => number): Job | undefined {
  switch (order) {
    case "deadline":
      return nextJob(open, means);
    case "oldest":
      return open[0];
    case "newest":
      return open.at(-1);
    case "random":
      return open[Math.floor(random() * open.length)];
  }
}
