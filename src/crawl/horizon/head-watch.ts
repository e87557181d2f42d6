import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { RunQueries } from "../../work/runs/runs.ts";
import type { RunWork } from "../run/run-work.ts";
import { forecastHorizon, type HeadSample, type HorizonForecast, sampleOf } from "./horizon-forecast.ts";

/** The pause between two samples, and the number of samples after which it doubles. */
const FIRST_PAUSE_MS = 60_000;
const DOUBLES_AFTER = 8;
/** A horizon that is above all samples by this fraction of the window is sampled at once. */
const LEAP_SHARE = 50n;

/** Where samples are kept, which are read first. */
type Samples = Pick<RunQueries, "addHeadSample" | "headSamples">;

export type HeadWatch = Awaited<ReturnType<typeof watchHead>>;

/**
 * Samples the node's window from its answers' headers, from now on and with what earlier runs kept: ever more rarely as the run goes on,
 * and whenever the horizon leaps up.
 */
export async function watchHead({ node, clock }: Pick<RunWork, "node" | "clock">, stored: Samples) {
  const samples: HeadSample[] = (await stored.headSamples(clock.now())).filter((sample) => sample.node === node.url);
  let head: LedgerHead | undefined;
  let kept: LedgerHead | undefined;
  let count = 0;
  let highest = -1n;
  let keepsFromMs = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let saved: Promise<void> = Promise.resolve();

  function hear(heard: LedgerHead): void {
    head = heard;
    const { ledgerVersion, oldestVersion } = heard;
    const now = clock.now();
    if (now >= keepsFromMs || (oldestVersion - highest) * LEAP_SHARE > ledgerVersion - oldestVersion) keep(heard, now);
  }

  function keep(heard: LedgerHead, now: number): void {
    const sample = sampleOf(heard, now);
    saved = saved.then(() => stored.addHeadSample({ ...sample, node: node.url, timestampUsec: heard.timestampUsec }));
    // What fails is told when the watch is closed.
    saved.catch(() => undefined);
    samples.push(sample);
    kept = heard;
    if (heard.oldestVersion > highest) highest = heard.oldestVersion;
    keepsFromMs = now + pauseMs;
    count += 1;
    if (count % DOUBLES_AFTER === 0) pauseMs *= 2;
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
      if (head !== undefined && head !== kept) keep(head, clock.now());
      await saved;
    },
  };
}
