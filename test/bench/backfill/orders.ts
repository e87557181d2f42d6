import { seededRandom } from "../../../src/base/random.ts";
import { type Job, type Means, msPerRequest, nextJob, shouldGiveUp } from "../../../src/crawl/backfill/deadlines.ts";
import { forecastHorizon } from "../../../src/crawl/horizon/horizon-forecast.ts";
import { earlierSamples, makeWorld, REQUESTS, SAMPLE_MS, type World, type WorldKind } from "./world.ts";

/** The orders compared: backfill's own, and three that a simpler tool might take. */
export const orders = ["deadline", "oldest", "newest", "random"] as const;
export type Order = (typeof orders)[number];

/** One simulated backfill. */
export type Scenario = { readonly order: Order; readonly world: WorldKind; readonly load: number; readonly seed: number };

/** A snapshot begun and not finished: when, when it was left, and with how many requests still to send. */
export type HalfRead = { readonly version: bigint; readonly begunMs: number; readonly leftMs: number; readonly requestsLeft: number };

/** What came of it. */
export type Outcome = { readonly saved: readonly bigint[]; readonly halfRead: readonly HalfRead[] };

/** Plays one backfill through, request by request, in simulated time. What backfill knows of the horizon is what it has sampled. */
export function simulate({ order, world: kind, load, seed }: Scenario): Outcome {
  const world = makeWorld(kind, load, seed);
  const random = seededRandom(seed);
  const watch = new Watch(world);
  let open: Job[] = world.wanted.map((version) => ({ version, requests: REQUESTS }));
  const saved: bigint[] = [];
  const halfRead: HalfRead[] = [];
  for (;;) {
    open = open.filter(({ version }) => version >= world.oldestAt(watch.now));
    const job = choose(order, open, watch, random);
    if (job === undefined) return { saved, halfRead };
    open = open.filter((other) => other !== job);
    const begunMs = watch.now;
    let requestsLeft = REQUESTS;
    while (requestsLeft > 0 && job.version >= world.oldestAt(watch.now)) {
      watch.ask();
      requestsLeft -= 2;
      const left = { version: job.version, requests: requestsLeft };
      if (order === "deadline" && requestsLeft > 0 && shouldGiveUp(left, open, watch.means())) break;
    }
    if (requestsLeft === 0 && job.version >= world.oldestAt(watch.now)) saved.push(job.version);
    else halfRead.push({ version: job.version, begunMs, leftMs: watch.now, requestsLeft });
  }
}

/** What backfill hears of a world while it asks. */
class Watch {
  readonly #world: World;
  readonly #samples;
  #pairs = 0;
  #forecast;
  now = 0;

  constructor(world: World) {
    this.#world = world;
    this.#samples = earlierSamples(world);
    this.#forecast = forecastHorizon("node", [...this.#samples, world.sampleAt(0)]);
  }

  /** Two requests: time passes, and the answers tell of the horizon. */
  ask(): void {
    this.now += this.#world.pairMs(this.#pairs++);
    const sample = this.#world.sampleAt(this.now);
    const last = this.#samples.at(-1);
    if (last === undefined || sample.sampledAt - last.sampledAt >= SAMPLE_MS) this.#samples.push(sample);
    this.#forecast = forecastHorizon("node", [...this.#samples.slice(-200), sample]);
  }

  means(): Means {
    // The rate allowed is what the world's average answer takes.
    const sent = { requests: 2 * this.#pairs, elapsedMs: this.now, allowedMs: this.#world.msPerRequest };
    return {
      msPerRequest: msPerRequest(sent, 1),
      budget: Number.POSITIVE_INFINITY,
      leftMs: (version) => this.#forecast.leftMs(version, this.now),
    };
  }
}

function choose(order: Order, open: readonly Job[], watch: Watch, random: () => number): Job | undefined {
  switch (order) {
    case "deadline":
      return nextJob(open, watch.means());
    case "oldest":
      return open[0];
    case "newest":
      return open.at(-1);
    case "random":
      return open[Math.floor(random() * open.length)];
  }
}
