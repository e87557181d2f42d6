import type { RetryPolicy } from "./error-classes.ts";

const SECONDS = /^\d{1,9}$/;

/**
 * A `Retry-After` header as milliseconds from now: seconds, or a date, measured against the server's `Date` if there is one.
 * Undefined for others, zero and the past, since a refusal cannot mean "now".
 */
export function parseRetryAfter(value: string | undefined, serverDate: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (SECONDS.test(text)) return positive(Number(text) * 1000);
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  const from = serverDate === undefined ? Number.NaN : Date.parse(serverDate);
  return positive(until - (Number.isNaN(from) ? nowMs : from));
}

/** The wait before the next attempt after `failures` of one kind (1 or more): full jitter below a doubling bound. `random` is in [0, 1). */
export function backoffMs(retry: RetryPolicy, failures: number, random: number): number {
  const bound = Math.min(retry.longestMs, retry.firstMs * 2 ** Math.min(failures - 1, 30));
  const floor = Math.min(retry.shortestMs, bound);
  return floor + random * (bound - floor);
}

export function clampRetryAfter(retry: RetryPolicy, askedMs: number): number {
  return Math.min(Math.max(askedMs, retry.shortestMs), retry.longestMs);
}

function positive(ms: number): number | undefined {
  return ms > 0 ? ms : undefined;
}
