import type { Headers } from "../protocol/ledger-head.ts";

/** What is left of a server's limit: `remaining` units until `resetMs` milliseconds from now. No header says what a unit is. */
export type Quota = { readonly remaining: number; readonly resetMs: number };

const WHOLE = /^\d{1,12}$/;
/** A time to the reset above this many seconds is a moment in seconds since 1970, as some servers of `X-RateLimit-Reset` mean it. */
const MOMENT_FROM_SECONDS = 1_000_000_000;
/** No window is believed to be longer. */
const RESET_MAX_MS = 3_600_000;

/**
 * What headers say of the limit; undefined without. Read are `RateLimit: "name";r=50;t=30` (draft-ietf-httpapi-ratelimit-headers
 * from 07), `RateLimit-Remaining` and `-Reset` (up to 06), and `X-RateLimit-…`. The tightest counts.
 */
export function readRateHeaders(headers: Headers, nowMs: number): Quota | undefined {
  const quotas = [
    ...fromList(one(headers["ratelimit"])),
    ...fromPair(headers, "ratelimit-", nowMs),
    ...fromPair(headers, "x-ratelimit-", nowMs),
  ];
  return quotas.sort((a, b) => a.remaining / a.resetMs - b.remaining / b.resetMs)[0];
}

/** `"burst";r=3;t=1, "daily";r=500;t=3600`, or as the drafts before wrote it: `limit=100, remaining=50, reset=5`. */
function fromList(text: string | undefined): Quota[] {
  if (text === undefined || text.length > 1000) return [];
  const parameter = (part: string, names: string): string | undefined =>
    new RegExp(`(?:^|[;,\\s])(?:${names})=(\\d{1,12})(?:$|[;,\\s])`).exec(part)?.[1];
  const parts = /(?:^|[;,\s])remaining=/.test(text) ? [text] : text.split(",");
  return parts.flatMap((part) => quotaOf(parameter(part, "r|remaining"), parameter(part, "t|reset"), 0));
}

function fromPair(headers: Headers, prefix: string, nowMs: number): Quota[] {
  return quotaOf(one(headers[`${prefix}remaining`]), one(headers[`${prefix}reset`]), nowMs);
}

function quotaOf(remaining: string | undefined, reset: string | undefined, nowMs: number): Quota[] {
  if (remaining === undefined || reset === undefined || !WHOLE.test(remaining) || !WHOLE.test(reset)) return [];
  const seconds = Number(reset);
  const resetMs = seconds >= MOMENT_FROM_SECONDS ? seconds * 1000 - nowMs : seconds * 1000;
  return resetMs > 0 && resetMs <= RESET_MAX_MS ? [{ remaining: Number(remaining), resetMs }] : [];
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(",") : value?.trim();
}
