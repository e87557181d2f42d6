/** When a breaker opens, how long it waits between probes, and when it gives a node up. Times in milliseconds. */
export const breakerLimits = {
  /** Failures in a row after which it opens. */
  failures: 5,
  /** The first wait; each failed probe doubles it. */
  firstRestMs: 1000,
  longestRestMs: 30_000,
  /** How long a node may be down that has answered before. */
  giveUpMs: 600_000,
  /** The same for a node that has never answered: more likely a wrong URL than an outage. */
  giveUpUnseenMs: 10_000,
};

export type BreakerLimits = Readonly<typeof breakerLimits>;

/**
 * A circuit breaker: opens after failures in a row, lets one request through after a wait, closes at the first answer. Failures
 * that may be one request's fault need two requests. Pure: each call brings the time in milliseconds.
 */
export class Breaker {
  readonly #limits: BreakerLimits;
  /** When a probe may be sent; undefined while closed, Infinity while a probe is under way. */
  #probeAtMs: number | undefined;
  #failures = 0;
  /** What may be at fault: requests, and the node once a failure says so for certain. */
  #suspects = new Set<string>();
  #restMs: number;
  #downSinceMs: number | undefined;
  #hasAnswered = false;

  constructor(limits: BreakerLimits) {
    this.#limits = limits;
    this.#restMs = limits.firstRestMs;
  }

  /** Whether requests may be sent freely. */
  get isClosed(): boolean {
    return this.#probeAtMs === undefined;
  }

  /** Milliseconds until a request may be sent: 0 for now, Infinity while a probe is under way. */
  waitMs(nowMs: number): number {
    return Math.max(0, (this.#probeAtMs ?? nowMs) - nowMs);
  }

  /** Milliseconds since anything came back, once that is longer than the limit and no probe is due; else undefined. */
  givenUpAfterMs(nowMs: number): number | undefined {
    if (this.waitMs(nowMs) === 0 || this.#downSinceMs === undefined) return undefined;
    const downMs = nowMs - this.#downSinceMs;
    return downMs >= this.giveUpMs ? downMs : undefined;
  }

  /** How long the node may be down. */
  get giveUpMs(): number {
    return this.#hasAnswered ? this.#limits.giveUpMs : this.#limits.giveUpUnseenMs;
  }

  /** A request is sent: the probe, if the breaker is open. */
  sent(): void {
    if (!this.isClosed) this.#probeAtMs = Number.POSITIVE_INFINITY;
  }

  /** An answer came, with data or an error: the node is up. */
  answered(): void {
    this.#probeAtMs = undefined;
    this.#failures = 0;
    // An empty set that is cleared makes a new table.
    if (this.#suspects.size > 0) this.#suspects.clear();
    this.#restMs = this.#limits.firstRestMs;
    this.#downSinceMs = undefined;
    this.#hasAnswered = true;
  }

  /** A request failed. `request` names it; `how` is what its failure says about the node. */
  failed(nowMs: number, request: string, how: "down" | "suspect"): void {
    this.#downSinceMs ??= nowMs;
    if (this.#probeAtMs === Number.POSITIVE_INFINITY) this.#restMs = Math.min(this.#restMs * 2, this.#limits.longestRestMs);
    // A request from before it opened.
    else if (!this.isClosed) return;
    else {
      this.#failures += 1;
      if (this.#suspects.size < 2) this.#suspects.add(request);
      if (how === "down") this.#suspects.add("the node");
      if (this.#failures < this.#limits.failures || this.#suspects.size < 2) return;
    }
    this.#probeAtMs = nowMs + this.#restMs;
  }

  /** A request was aborted by us before anything came back: if it was the probe, the next one is. */
  abandoned(nowMs: number): void {
    if (this.#probeAtMs === Number.POSITIVE_INFINITY) this.#probeAtMs = nowMs;
  }
}

/** What is left of the rate after the node said that it was too high. */
const CUT = 0.5;
/** The share of the full rate that comes back in each second without a complaint. */
const RECOVERY_PER_SECOND = 0.01;
/** However often the node complains, one request is sent in this many seconds. */
const SLOWEST_SECONDS = 60;
/** Requests that are due within this time may go together, since timers cannot space them closer. */
const TOGETHER_MS = 50;
/** Over how long the rate of requests sent is measured. */
const MEASURE_MS = 5000;

/**
 * Spaces requests evenly at a rate, which a complaint halves and which then rises to the full rate in a straight line. In any t seconds
 * at most rate × t + max(1, rate / 20) requests go. Without a limit, a complaint sets one at half the rate sent lately, until twice
 * that rate is reached. Pure: each call brings the time of a monotonic clock in milliseconds.
 */
export class RateLimit {
  readonly #full: number;
  #slowed: { readonly perSecond: number; readonly full: number; readonly atMs: number } | undefined;
  #dueMs = Number.NEGATIVE_INFINITY;
  #lastMs = 0;
  /** Requests sent, those of the past weighing less. */
  #recent = 0;

  /** Infinity for no limit. */
  constructor(perSecond: number) {
    this.#full = perSecond;
  }

  /** Requests a second allowed now; Infinity for no limit. */
  perSecond(nowMs: number): number {
    if (this.#slowed === undefined) return this.#full;
    const { perSecond, full, atMs } = this.#slowed;
    const risen = perSecond + (full * RECOVERY_PER_SECOND * (nowMs - atMs)) / 1000;
    if (risen < Math.min(this.#full, 2 * full)) return risen;
    this.#slowed = undefined;
    return this.#full;
  }

  /** Milliseconds until a request may be sent: 0 for now. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#dueMs - nowMs);
  }

  /** A request is sent. Only to be called after `waitMs` returned 0. */
  take(nowMs: number): void {
    const spacingMs = 1000 / this.perSecond(nowMs);
    this.#dueMs = Math.max(this.#dueMs, nowMs - Math.max(0, TOGETHER_MS - spacingMs)) + spacingMs;
    this.#recent = this.#recentAt(nowMs) + 1;
    this.#lastMs = nowMs;
  }

  /** The node wants fewer requests. */
  complain(nowMs: number): void {
    const sent = Math.max(1, (this.#recentAt(nowMs) * 1000) / MEASURE_MS);
    const full = Number.isFinite(this.#full) ? this.#full : (this.#slowed?.full ?? sent);
    const rate = Math.min(this.perSecond(nowMs), full);
    this.#slowed = { perSecond: Math.min(rate, Math.max(rate * CUT, 1 / SLOWEST_SECONDS)), full, atMs: nowMs };
  }

  #recentAt(nowMs: number): number {
    return this.#recent * Math.exp((this.#lastMs - nowMs) / MEASURE_MS);
  }
}
