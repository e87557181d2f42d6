import { AdaptiveRate } from "./adaptive-rate.ts";
import { TokenBucket } from "./token-bucket.ts";

/** What of a shared rate is one process's: requests a second, until a moment of its monotonic clock. */
export type RateGrant = { readonly perSecond: number; readonly untilMs: number };

/** What one process would send of a shared rate, by what it sent lately. In requests a second. */
export type RateWish = {
  /** What all may send together: less for a while after the node complained. */
  readonly limitPerSecond: number;
  readonly wantsPerSecond: number;
};

/** Without a grant one looks this often whether there is one, so that deadlines are kept. */
const UNGRANTED_LOOK_MS = 250;

/** Who used this much of its grant, and had to wait, would send more. */
const FULL = 0.9;

/** What one who did not use up its grant is given beyond what it used, so that it can rise. */
const ROOM = 1.1;
const ROOM_PER_SECOND = 1;

/**
 * One process's part of a shared rate: it sends only within its grant, and nothing once that has run out. In t seconds it sends at most
 * granted * t + burst. Pure: each call brings the time in milliseconds.
 */
export class RateShare {
  readonly #limit: AdaptiveRate;
  readonly #bucket: TokenBucket;
  #grant: RateGrant = { perSecond: 0, untilMs: Number.NEGATIVE_INFINITY };
  #sent = 0;
  #wasShort = false;
  #wishedAtMs: number;

  constructor(limitPerSecond: number, nowMs: number) {
    this.#limit = new AdaptiveRate(limitPerSecond, nowMs);
    this.#bucket = new TokenBucket(0, nowMs);
    this.#wishedAtMs = nowMs;
  }

  /** From now on this much; it takes the place of an earlier grant. */
  grant(grant: RateGrant): void {
    this.#grant = grant;
  }

  /** The rate granted; that of all where nothing is granted now. */
  perSecond(nowMs: number): number {
    const granted = this.#granted(nowMs);
    return granted > 0 ? granted : this.#limit.perSecond(nowMs);
  }

  waitMs(nowMs: number): number {
    const granted = this.#granted(nowMs);
    this.#bucket.setRate(granted, nowMs);
    const waitMs = granted > 0 ? this.#bucket.waitMs(nowMs) : UNGRANTED_LOOK_MS;
    this.#wasShort ||= waitMs > 0;
    return waitMs;
  }

  pass(): void {
    this.#bucket.take();
    this.#sent += 1;
  }

  /** The node complained, to this process or to another. */
  complain(nowMs: number): void {
    this.#limit.complain(nowMs, 0);
  }

  /** What to ask for next; undefined when nothing was sent or held back since this was last asked. */
  wish(nowMs: number): RateWish | undefined {
    const [sent, wasShort, elapsedMs] = [this.#sent, this.#wasShort, nowMs - this.#wishedAtMs];
    [this.#sent, this.#wasShort, this.#wishedAtMs] = [0, false, nowMs];
    if (sent === 0 && !wasShort) return undefined;
    const limitPerSecond = this.#limit.perSecond(nowMs);
    const used = elapsedMs > 0 ? (sent * 1000) / elapsedMs : limitPerSecond;
    const isFull = wasShort && used >= this.#granted(nowMs) * FULL;
    return { limitPerSecond, wantsPerSecond: isFull ? limitPerSecond : Math.min(limitPerSecond, used * ROOM + ROOM_PER_SECOND) };
  }

  #granted(nowMs: number): number {
    return nowMs < this.#grant.untilMs ? this.#grant.perSecond : 0;
  }
}
