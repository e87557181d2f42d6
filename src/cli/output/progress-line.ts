import type { Log } from "../../base/log.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { estimateLeftMs, type SnapshotProgress } from "../../crawl/night/progress.ts";
import type { TraceProgress } from "../../crawl/trace/trace-group.ts";
import type { Facts } from "../../errors.ts";
import type { Io } from "../io.ts";

/** How often the line on a terminal is drawn anew, and how often a log line is written elsewhere. */
const LINE_EVERY_MS = 200;
const LOG_EVERY_MS = 30_000;

/** Shows how far work is: one rewritten line on a terminal, else a structured log line every 30 seconds. */
export type ProgressLine = {
  /** The line's words and facts are made only when they are shown. */
  readonly show: (words: () => string, facts: () => Facts) => void;
  readonly end: () => void;
};

export type SnapshotProgressLine = Disposable & { readonly show: (progress: SnapshotProgress) => void; readonly end: () => void };

export function progressLine(io: Io, log: Log): ProgressLine {
  return io.stderrIsTerminal ? terminalLine(io) : logLines(io, log);
}

export function snapshotProgressLine(io: Io, log: Log): SnapshotProgressLine {
  const { show, end } = progressLine(io, log);
  return {
    show: (progress) =>
      show(
        () => progressText(progress),
        () => progressFacts(progress),
      ),
    end,
    [Symbol.dispose]: end,
  };
}

export function traceProgressLine(
  io: Io,
  log: Log,
): Disposable & { readonly show: (progress: TraceProgress) => void; readonly end: () => void } {
  const { show, end } = progressLine(io, log);
  return {
    show: ({ done, planned, probes }) =>
      show(
        () => `${done}/${planned} intervals traced · ${probes} probes`,
        () => ({ intervals_done: done, intervals_planned: planned, probes }),
      ),
    end,
    [Symbol.dispose]: end,
  };
}

function terminalLine(io: Io): ProgressLine {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show: (words) => {
      const now = io.clock.monotonic();
      if (now - drawnAt < LINE_EVERY_MS) return;
      drawnAt = now;
      io.statusLine(words());
    },
    end: () => io.statusLine(undefined),
  };
}

function logLines(io: Io, log: Log): ProgressLine {
  let loggedAt = io.clock.monotonic();
  return {
    show: (words, facts) => {
      const now = io.clock.monotonic();
      if (now - loggedAt < LOG_EVERY_MS) return;
      loggedAt = now;
      log("info", words(), facts());
    },
    end: () => {},
  };
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
export function progressText(progress: SnapshotProgress): string {
  const share = progress.planned === 0 ? 100 : Math.floor((100 * (progress.done + progress.missed)) / progress.planned);
  const left = estimateLeftMs(progress);
  const limit = progress.limitPerSecond === undefined ? "no limit" : `limit ${round(progress.limitPerSecond)}/s`;
  const parts = [
    `${progress.done}/${progress.planned} accounts (${share} %)`,
    ...(progress.missed > 0 ? [`${progress.missed} gaps`] : []),
    progress.pausedMs > 0
      ? `waiting ${formatDuration(progress.pausedMs)}, the node asked for it`
      : `${round(progress.perSecond)} req/s, ${limit}`,
    ...(progress.retries > 0 ? [progress.retries === 1 ? "1 retry" : `${progress.retries} retries`] : []),
    left === undefined ? "ETA unknown" : `ETA ${formatDuration(left)}`,
    ...(progress.aboveHorizon === undefined ? [] : [`${progress.aboveHorizon.toLocaleString("en-US")} versions above the horizon`]),
  ];
  return parts.join(" · ");
}

function round(value: number): string {
  return value >= 10 ? value.toFixed(0) : value.toFixed(1);
}
