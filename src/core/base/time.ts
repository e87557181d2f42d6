import { setTimeout as delay } from "node:timers/promises";

/** Time as movedex sees it; tests pass their own. */
export type Clock = {
  /** Wall time in milliseconds since 1970. May jump. */
  readonly now: () => number;
  /** Milliseconds on a clock that never goes back; only differences mean anything. */
  readonly monotonic: () => number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason when it is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      await delay(ms, undefined, signal ? { signal } : {});
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  },
};

export const DAY_MS = 86_400_000;
const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: DAY_MS } as const;
const PATTERN = /^(\d+(?:\.\d+)?)(s|m|h|d)$/;

/** Text such as `90s`, `30m`, `1.5h` or `2d` to milliseconds, or undefined. A bare number is refused: its unit would be a guess. */
export function parseDuration(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (!match) return undefined;
  const ms = Number(match[1]) * UNITS_MS[match[2] as keyof typeof UNITS_MS];
  return Number.isFinite(ms) && ms <= Number.MAX_SAFE_INTEGER ? ms : undefined;
}

/** Milliseconds as a person says them: `850 ms`, `12 s`, `3 min 20 s`, `5 h 10 min`, `6 d 4 h`. At most two units. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return "unknown";
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joinUnits(minutes, "min", seconds % 60, "s");
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return joinUnits(hours, "h", minutes % 60, "min");
  return joinUnits(Math.floor(hours / 24), "d", hours % 24, "h");
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/**
 * A moment (milliseconds since 1970) and how far the true one may lie from it, in words of a length that shows how much is known:
 * `2026-11-21T10:00:03Z`, `about 2026-11-21T10:00Z (± 40 s)`. Undefined where nothing is known.
 */
export function aboutTime(ms: number | null, errorMs: number | null): string | undefined {
  if (ms === null) return undefined;
  const iso = new Date(ms).toISOString();
  if (errorMs === null) return `at the latest ${iso.slice(0, 16)}Z`;
  return errorMs < 1000 ? `${iso.slice(0, 19)}Z` : `about ${iso.slice(0, 16)}Z (± ${formatDuration(errorMs)})`;
}
