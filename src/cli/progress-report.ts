import { formatDuration } from "../base/duration.ts";
import type { Log } from "../base/log.ts";
import { estimateLeftMs, type Progress } from "../crawl/progress.ts";
import type { Io } from "./io.ts";

/** How often the line on a terminal is drawn anew, and how often a log line is written elsewhere. */
const LINE_EVERY_MS = 200;
const LOG_EVERY_MS = 30_000;

/** Shows progress: one rewritten line on a terminal, else a structured log line every 30 seconds. */
export type ProgressReport = { readonly show: (progress: Progress) => void; readonly end: () => void };

export function progressReport(io: Io, log: Log): ProgressReport {
  return io.stderrIsTerminal ? terminalLine(io) : logLines(io, log);
}

function terminalLine(io: Io): ProgressReport {
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isDrawn = false;
  return {
    show: (progress) => {
      const now = io.clock.monotonic();
      if (now - drawnAt < LINE_EVERY_MS) return;
      drawnAt = now;
      isDrawn = true;
      // Carriage return, erase the line, then at most as much as fits: a line that wraps cannot be rewritten.
      io.stderr(`\r\u001b[2K${progressText(progress).slice(0, Math.max(20, io.columns - 1))}`);
    },
    end: () => {
      if (isDrawn) io.stderr("\r\u001b[2K");
    },
  };
}

function logLines(io: Io, log: Log): ProgressReport {
  let loggedAt = io.clock.monotonic();
  return {
    show: (progress) => {
      const now = io.clock.monotonic();
      if (now - loggedAt < LOG_EVERY_MS) return;
      loggedAt = now;
      log("info", progressText(progress), {
        ledger_version: progress.ledgerVersion,
        accounts_done: progress.done,
        accounts_planned: progress.planned,
        gaps: progress.missed,
        requests: progress.requests,
        retries: progress.retries,
        per_second: Number(progress.perSecond.toFixed(2)),
        ...(progress.aboveHorizon === undefined ? {} : { above_horizon: progress.aboveHorizon }),
      });
    },
    end: () => {},
  };
}

/** Most worth first: done of planned, pace against the limit, time left, distance to the horizon. */
export function progressText(progress: Progress): string {
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
