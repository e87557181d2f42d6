import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { StoredSample } from "../../work/runs/runs.ts";
import type { Store } from "../../work/store.ts";
import type { RunWork } from "../run/run-work.ts";
import type { HeadSample } from "./horizon.ts";
import { forecastHorizon, type HorizonForecast, sampleOf } from "./horizon-forecast.ts";

/** The pause between two samples, and the number of samples after which it doubles. */
const FIRST_PAUSE_MS = 60_000;
const DOUBLES_AFTER = 8;

/** A horizon that differs from the latest few samples by this fraction of the window is sampled at once, this many times a run at most. */
const LEAP_SHARE = 50n;
const LATEST_FEW = 4;
const LEAPS_MAX = 32;

type HeadWatchWork = Pick<RunWork, "node" | "clock"> & { readonly store: Pick<Store, "addHeadSample" | "headSamples"> };

/** Samples the node's window from its answers' headers: ever more rarely as the run goes on, and whenever the horizon leaps. */
export class HeadWatch {
  readonly #work: HeadWatchWork;
  readonly #samples: HeadSample[];
  #kept: LedgerHead[] = [];
  #leaps = 0;
  /** The head of the latest answer. */
  head: LedgerHead | undefined;
  #keptAtMs = Number.NEGATIVE_INFINITY;
  #pauseMs = FIRST_PAUSE_MS;
  #saved: Promise<void> = Promise.resolve();

  private constructor(work: HeadWatchWork, samples: readonly StoredSample[]) {
    const { node } = work;
    this.#work = work;
    this.#samples = samples.filter((sample) => sample.node === node.url);
    const head = node.lastHead();
    if (head !== undefined) this.#hear(head);
    node.onHead((heard) => this.#hear(heard));
  }

  /** Begins to listen, with what earlier runs kept. */
  static async begin(work: HeadWatchWork): Promise<HeadWatch> {
    return new HeadWatch(work, await work.store.headSamples(work.clock.now()));
  }

  /** The forecast from all samples and the latest answer; undefined before the first answer. */
  forecast(): HorizonForecast | undefined {
    if (this.head === undefined) return undefined;
    return forecastHorizon(this.#work.node.url, [...this.#samples, sampleOf(this.head, this.#work.clock.now())]);
  }

  /** Keeps the latest word, whatever the pause: a run's end is the next one's past. Rejects when a sample could not be kept. */
  async close(): Promise<void> {
    this.#work.node.onHead(() => {});
    if (this.head !== undefined && this.head !== this.#kept.at(-1)) this.#keep(this.head, this.#work.clock.now());
    await this.#saved;
  }

  #hear(head: LedgerHead): void {
    this.head = head;
    const now = this.#work.clock.now();
    if (now - this.#keptAtMs >= this.#pauseMs) this.#keep(head, now);
    else if (this.#leaps < LEAPS_MAX && this.#leapt(head)) {
      this.#leaps += 1;
      this.#keep(head, now);
    }
  }

  #leapt(head: LedgerHead): boolean {
    const small = (head.ledgerVersion - head.oldestVersion) / LEAP_SHARE;
    return this.#kept.slice(-LATEST_FEW).every(({ oldestVersion }) => {
      const step = head.oldestVersion - oldestVersion;
      return (step < 0n ? -step : step) > small;
    });
  }

  #keep(head: LedgerHead, now: number): void {
    const sample = sampleOf(head, now);
    this.#saved = this.#saved.then(() =>
      this.#work.store.addHeadSample({ ...sample, node: this.#work.node.url, timestampUsec: head.timestampUsec }),
    );
    // What fails is told when the watch is closed.
    this.#saved.catch(() => undefined);
    this.#samples.push(sample);
    this.#kept.push(head);
    this.#keptAtMs = now;
    if (this.#kept.length % DOUBLES_AFTER === 0) this.#pauseMs *= 2;
  }
}
