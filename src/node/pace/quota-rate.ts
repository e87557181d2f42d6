import type { Headers } from "../protocol/ledger-head.ts";

/** What is left of a server's limit: `remaining` units until `resetMs` milliseconds from now. No header says what a unit is. */
export type Quota = { readonly remaining: number; readonly resetMs: number };

/** A quota that an answer gave, and how many requests had been sent by then. */
type Sample = { readonly remaining: number; readonly resetAtMs: number; readonly sent: number };

/** Resets come in whole seconds: two answers are of one window when theirs are less than this apart. */
const SAME_WINDOW_MS = 1000;

/**
 * The rate that a server's quota leaves: what remains of it, spread over the time until the reset. A request may cost several units;
 * how many is measured by how fast the quota shrinks. Pure: every call brings the time in milliseconds.
 */
export class QuotaRate {
  #last: Sample | undefined;
  #unitsPerRequest = 1;
  #sent = 0;

  sent(): void {
    this.#sent += 1;
  }

  /** Takes the quota of an answer. Returns until when all requests have to wait; undefined when none has to. */
  observe({ remaining, resetMs }: Quota, nowMs: number): number | undefined {
    const resetAtMs = nowMs + resetMs;
    const last = this.#last;
    const isSame = last !== undefined && Math.abs(last.resetAtMs - resetAtMs) < SAME_WINDOW_MS;
    // Answers overtake each other: the one that knows of fewer requests is the older.
    if (isSame && remaining > last.remaining) return undefined;
    if (isSame && this.#sent > last.sent && remaining < last.remaining)
      this.#unitsPerRequest = Math.max(1, (last.remaining - remaining) / (this.#sent - last.sent));
    this.#last = { remaining, resetAtMs, sent: this.#sent };
    return remaining < this.#unitsPerRequest ? resetAtMs : undefined;
  }

  /** Requests a second that are left; Infinity without a quota, or after its window. */
  perSecond(nowMs: number): number {
    if (this.#last === undefined || nowMs >= this.#last.resetAtMs) return Number.POSITIVE_INFINITY;
    const { remaining, resetAtMs, sent } = this.#last;
    const left = remaining / this.#unitsPerRequest - (this.#sent - sent);
    return Math.max(left, 1) / ((resetAtMs - nowMs) / 1000);
  }
}

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
