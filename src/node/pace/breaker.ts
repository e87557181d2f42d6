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

type State = { readonly is: "closed" } | { readonly is: "open"; readonly untilMs: number } | { readonly is: "probing" };

/**
 * A circuit breaker: opens after failures in a row, lets one request through after a wait, closes at the first answer. Failures
 * that may be one request's fault need two requests. Pure: each call brings the time in milliseconds.
 */
export class Breaker {
  readonly #limits: BreakerLimits;
  #state: State = { is: "closed" };
  #failures = 0;
  #suspects = new Set<string>();
  #certain = false;
  #restMs: number;
  #downSinceMs: number | undefined;
  #seen = false;

  constructor(limits: BreakerLimits) {
    this.#limits = limits;
    this.#restMs = limits.firstRestMs;
  }

  /** Whether requests may be sent freely. */
  get isClosed(): boolean {
    return this.#state.is === "closed";
  }

  /** Whether the probe is under way, or about to be sent. */
  get isProbing(): boolean {
    return this.#state.is === "probing";
  }

  /** Milliseconds until a request may be sent: 0 for now, Infinity while a probe is under way. */
  waitMs(nowMs: number): number {
    if (this.#state.is === "closed") return 0;
    return this.#state.is === "probing" ? Number.POSITIVE_INFINITY : Math.max(0, this.#state.untilMs - nowMs);
  }

  /** Milliseconds since anything came back, once that is longer than the limit and while no probe is under way; else undefined. */
  givenUpAfterMs(nowMs: number): number | undefined {
    if (this.waitMs(nowMs) === 0 || this.#downSinceMs === undefined) return undefined;
    const down = nowMs - this.#downSinceMs;
    return down >= (this.#seen ? this.#limits.giveUpMs : this.#limits.giveUpUnseenMs) ? down : undefined;
  }

  /** A request is sent: the probe, if the breaker was open. */
  sent(): void {
    if (this.#state.is === "open") this.#state = { is: "probing" };
  }

  /** An answer came, with data or an error: the node is up. */
  answered(): void {
    this.#state = { is: "closed" };
    this.#failures = 0;
    this.#suspects.clear();
    this.#certain = false;
    this.#restMs = this.#limits.firstRestMs;
    this.#downSinceMs = undefined;
    this.#seen = true;
  }

  /** A request failed. `request` names it; `how` is what its failure says about the node. */
  failed(nowMs: number, request: string, how: "down" | "suspect"): void {
    this.#downSinceMs ??= nowMs;
    if (this.#state.is === "open") return;
    if (this.#state.is === "probing") {
      this.#restMs = Math.min(this.#restMs * 2, this.#limits.longestRestMs);
      this.#state = { is: "open", untilMs: nowMs + this.#restMs };
      return;
    }
    this.#failures += 1;
    this.#certain ||= how === "down";
    if (this.#suspects.size < 2) this.#suspects.add(request);
    if (this.#failures >= this.#limits.failures && (this.#certain || this.#suspects.size > 1)) {
      this.#state = { is: "open", untilMs: nowMs + this.#restMs };
    }
  }

  /** A request was aborted by us before anything came back: if it was the probe, the next one is. */
  abandoned(nowMs: number): void {
    if (this.#state.is === "probing") this.#state = { is: "open", untilMs: nowMs };
  }
}
