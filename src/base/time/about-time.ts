import { formatDuration } from "./duration.ts";

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
