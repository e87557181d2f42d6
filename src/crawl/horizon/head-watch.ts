import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
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

export type HeadWatch = Awaited<ReturnType<typeof watchHead>>;

/**
 * Samples the node's window from its answers' headers, from now on and with what earlier runs kept: ever more rarely as the run goes on,
 * and whenever the horizon leaps.
 */
export async function watchHead({ node, clock, store }: HeadWatchWork) {
  const samples: HeadSample[] = (await store.headSamples(clock.now())).filter((sample) => sample.node === node.url);
  const kept: LedgerHead[] = [];
  let head: LedgerHead | undefined;
  let leaps = 0;
  let keptAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let saved: Promise<void> = Promise.resolve();

  function hear(heard: LedgerHead): void {
    head = heard;
    const now = clock.now();
    if (now - keptAtMs >= pauseMs) keep(heard, now);
    else if (leaps < LEAPS_MAX && hasLeapt(heard)) {
      leaps += 1;
      keep(heard, now);
    }
  }

  function hasLeapt(heard: LedgerHead): boolean {
    const small = (heard.ledgerVersion - heard.oldestVersion) / LEAP_SHARE;
    return kept.slice(-LATEST_FEW).every(({ oldestVersion }) => {
      const step = heard.oldestVersion - oldestVersion;
      return (step < 0n ? -step : step) > small;
    });
  }

  function keep(heard: LedgerHead, now: number): void {
    const sample = sampleOf(heard, now);
    saved = saved.then(() => store.addHeadSample({ ...sample, node: node.url, timestampUsec: heard.timestampUsec }));
    // What fails is told when the watch is closed.
    saved.catch(() => undefined);
    samples.push(sample);
    kept.push(heard);
    keptAtMs = now;
    if (kept.length % DOUBLES_AFTER === 0) pauseMs *= 2;
  }

  const before = node.lastHead();
  if (before !== undefined) hear(before);
  node.onHead(hear);
  return {
    /** The forecast from all samples and the latest answer; undefined before the first answer. */
    forecast: (): HorizonForecast | undefined => head && forecastHorizon(node.url, [...samples, sampleOf(head, clock.now())]),
    /** Keeps the latest word, whatever the pause: a run's end is the next one's past. Rejects when a sample could not be kept. */
    close: async (): Promise<void> => {
      node.onHead(() => {});
      if (head !== undefined && head !== kept.at(-1)) keep(head, clock.now());
      await saved;
    },
  };
}
