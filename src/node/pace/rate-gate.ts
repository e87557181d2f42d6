import { once } from "node:events";
import type { Clock } from "../../base/time/clock.ts";
import { AnswerFault } from "../protocol/node-error.ts";

/** When a gate lets requests through. Times are milliseconds on the monotonic clock. */
export type GateRules = {
  /** Time until the next may pass: 0 for now, Infinity until an event after which `wake` is called. */
  readonly waitMs: (nowMs: number) => number;
  readonly pass: (nowMs: number) => void;
  /** The fault with which everything that waits is rejected; undefined while the gate may open. */
  readonly closedFor: (nowMs: number) => AnswerFault | undefined;
};

type Waiter = { readonly go: () => void; readonly stop: (reason: unknown) => void; readonly untilMs: number };

/** No single sleep is longer, so that a suspended machine or a clock that misbehaves costs a minute and not a night. */
const LONGEST_SLEEP_MS = 60_000;

/**
 * Lets requests through one by one, first come first served. There is one timer for all, and none while nothing waits. What
 * waits can be aborted, has a deadline, and is rejected when the gate closes for good.
 */
export class RateGate {
  readonly #rules: GateRules;
  readonly #clock: Clock;
  readonly #waiters: Waiter[] = [];
  #isMoving = false;
  #sleep: AbortController | undefined;

  constructor(rules: GateRules, clock: Clock) {
    this.#rules = rules;
    this.#clock = clock;
  }

  /**
   * Resolves when it is this request's turn; undefined when that is now. Rejects with the signal's reason, with the fault for
   * which the gate is closed, or with `rate_limited` when the turn has not come by `untilMs`.
   */
  enter(untilMs: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    const now = this.#clock.monotonic();
    if (this.#waiters.length === 0 && this.#rules.waitMs(now) <= 0) {
      this.#rules.pass(now);
      return undefined;
    }
    const { promise, resolve: go, reject: stop } = Promise.withResolvers<void>();
    const waiter: Waiter = { go, stop, untilMs };
    const onAbort = (): void => {
      // Too late when its turn has come.
      if (!this.#waiters.includes(waiter)) return;
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      stop(signal?.reason);
      this.wake();
    };
    signal?.addEventListener("abort", onAbort);
    this.#waiters.push(waiter);
    void this.#move();
    return promise.finally(() => signal?.removeEventListener("abort", onAbort));
  }

  /** Applies the rules again, after something they depend on has changed. */
  wake(): void {
    this.#sleep?.abort();
  }

  rejectAll(reason: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.stop(reason);
    this.wake();
  }

  async #move(): Promise<void> {
    if (this.#isMoving) return;
    this.#isMoving = true;
    while (this.#waiters.length > 0) {
      const now = this.#clock.monotonic();
      this.#rejectLate(now);
      const wait = this.#rules.waitMs(now);
      if (this.#waiters.length === 0) break;
      if (wait > 0) await this.#rest(wait, now);
      else {
        this.#rules.pass(now);
        this.#waiters.shift()?.go();
      }
    }
    this.#isMoving = false;
  }

  #rejectLate(now: number): void {
    const closed = this.#rules.closedFor(now);
    if (closed) this.rejectAll(closed);
    for (const waiter of this.#waiters.filter(({ untilMs }) => untilMs <= now)) {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.stop(new AnswerFault("rate_limited", "the request's turn did not come in time"));
    }
  }

  async #rest(waitMs: number, now: number): Promise<void> {
    const sleep = new AbortController();
    this.#sleep = sleep;
    if (waitMs === Number.POSITIVE_INFINITY) await once(sleep.signal, "abort");
    else {
      const endsMs = Math.min(...this.#waiters.map(({ untilMs }) => untilMs)) - now;
      await this.#clock.sleep(Math.ceil(Math.max(1, Math.min(waitMs, endsMs, LONGEST_SLEEP_MS))), sleep.signal).catch(() => {});
    }
    this.#sleep = undefined;
  }
}
