import type { Log } from "../../base/log.ts";
import { grouped, keepTexts, plural } from "../../base/plural.ts";
import { formatDuration } from "../../base/time.ts";
import { estimateLeftMs, type SnapshotProgress } from "../../crawl/night/progress.ts";
import type { Facts } from "../../errors.ts";
import type { Io } from "../io.ts";

/** How often the line on a terminal is drawn anew, and how often a log line is written elsewhere. */
const LINE_EVERY_MS = 200;
const LOG_EVERY_MS = 30_000;

/** Shows how far work is: one rewritten line on a terminal, else a structured log line every 30 seconds. */
export type ProgressLine<Progress> = Disposable & { readonly show: (progress: Progress) => void; readonly end: () => void };

/** A line of `words`, or a log line with `facts` too; both are made only when they are shown. */
export function progressLine<P>(io: Io, log: Log, words: (progress: P) => string, facts: (progress: P) => Facts): ProgressLine<P> {
  const everyMs = io.stderrIsTerminal ? LINE_EVERY_MS : LOG_EVERY_MS;
  let shownAt = io.stderrIsTerminal ? Number.NEGATIVE_INFINITY : io.clock.monotonic();
  const end = () => io.statusLine(undefined);
  return {
    show: (progress) => {
      const now = io.clock.monotonic();
      if (now - shownAt < everyMs) return;
      shownAt = now;
      if (io.stderrIsTerminal) io.statusLine(words(progress));
      else log("info", words(progress), facts(progress));
    },
    end,
    [Symbol.dispose]: end,
  };
}

export function snapshotProgressLine(io: Io, log: Log): ProgressLine<SnapshotProgress> {
  return progressLine(io, log, progressText, progressFacts);
}

function progressFacts(progress: SnapshotProgress): Facts {
  return {
    ledger_version: progress.ledgerVersion,
    accounts_done: progress.done,
    accounts_planned: progress.planned,
    gaps: progress.missed,
    requests: progress.requests,
    retries: progress.retries,
    per_second: Number(progress.perSecond.toFixed(2)),
    ...(progress.aboveHorizon === undefined ? {} : { above_horizon: progress.aboveHorizon }),
  };
}

/** Most worth first: done of planned, pace against the limit, time left, distance to the horizon. */
function progressText(progress: SnapshotProgress): string {
  const share = progress.planned === 0 ? 100 : Math.floor((100 * (progress.done + progress.missed)) / progress.planned);
  const left = estimateLeftMs(progress);
  const limit = progress.limitPerSecond === undefined ? "no limit" : `limit ${round(progress.limitPerSecond)}/s`;
  return keepTexts([
    `${progress.done}/${progress.planned} accounts (${share} %)`,
    progress.missed > 0 && plural(progress.missed, "gap"),
    progress.pausedMs > 0
      ? `waiting ${formatDuration(progress.pausedMs)}, the node asked for it`
      : `${round(progress.perSecond)} req/s, ${limit}`,
    progress.retries > 0 && plural(progress.retries, "retry", "retries"),
    left === undefined ? "ETA unknown" : `ETA ${formatDuration(left)}`,
    progress.aboveHorizon !== undefined && `${grouped(progress.aboveHorizon)} versions above the horizon`,
  ]).join(" · ");
}

function round(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}
