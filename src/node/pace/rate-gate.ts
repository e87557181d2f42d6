import { once } from "node:events";
import type { Clock } from "../../base/clock.ts";
import { AnswerFault } from "../answers/answer-fault.ts";

/** What a line waits in front of. Times are milliseconds on the monotonic clock. */
export type Gate = {
  /** How long until one may pass: 0 for now, Infinity while only an event (then `wake` is called) can tell. */
  readonly waitMs: (nowMs: number) => number;
  /** One passes. */
  readonly pass: (nowMs: number) => void;
  /** Why all who wait are to be sent away; undefined while there is hope. */
  readonly closedFor: (nowMs: number) => AnswerFault | undefined;
};

type Waiter = { readonly go: () => void; readonly stop: (reason: unknown) => void; readonly untilMs: number };

/** No nap is longer, so that a machine that slept, or a clock that misbehaves, costs a minute and not a night. */
const LONGEST_NAP_MS = 60_000;

/**
 * A line in front of a gate, first come first served. One timer for all, and none when nobody waits. Whoever waits may be
 * aborted, has an end, and is told when the gate is closed.
 */
export class WaitingLine {
  readonly #gate: Gate;
  readonly #clock: Clock;
  readonly #waiters: Waiter[] = [];
  #isMoving = false;
  #nap: AbortController | undefined;

  constructor(gate: Gate, clock: Clock) {
    this.#gate = gate;
    this.#clock = clock;
  }

  /**
   * Passes the gate when it is one's turn; undefined when that is now. Rejects with the signal's reason, with the fault for
   * which the gate is closed, or with `rate_limited` when the turn did not come until `untilMs`.
   */
  join(untilMs: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    signal?.throwIfAborted();
    const now = this.#clock.monotonic();
    if (this.#waiters.length === 0 && this.#gate.waitMs(now) <= 0) {
      this.#gate.pass(now);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => signal?.removeEventListener("abort", onAbort);
      const waiter: Waiter = {
        go: () => {
          leave();
          resolve();
        },
        stop: (reason) => {
          leave();
          reject(reason);
        },
        untilMs,
      };
      const onAbort = (): void => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
        waiter.stop(signal?.reason);
        this.wake();
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiters.push(waiter);
      void this.#move();
    });
  }

  /** Looks at the gate again: something has changed. */
  wake(): void {
    this.#nap?.abort();
  }

  /** Sends all who wait away. */
  dismiss(reason: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.stop(reason);
    this.wake();
  }

  async #move(): Promise<void> {
    if (this.#isMoving) return;
    this.#isMoving = true;
    while (this.#waiters.length > 0) {
      const now = this.#clock.monotonic();
      this.#dismissLate(now);
      const wait = this.#gate.waitMs(now);
      if (this.#waiters.length === 0) break;
      if (wait > 0) await this.#rest(wait, now);
      else {
        this.#gate.pass(now);
        this.#waiters.shift()?.go();
      }
    }
    this.#isMoving = false;
  }

  #dismissLate(now: number): void {
    const closed = this.#gate.closedFor(now);
    if (closed) this.dismiss(closed);
    for (const waiter of this.#waiters.filter(({ untilMs }) => untilMs <= now)) {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.stop(new AnswerFault("rate_limited", "the request's turn did not come in time"));
    }
  }

  async #rest(waitMs: number, now: number): Promise<void> {
    const nap = new AbortController();
    this.#nap = nap;
    if (waitMs === Number.POSITIVE_INFINITY) await once(nap.signal, "abort");
    else {
      const endsMs = Math.min(...this.#waiters.map(({ untilMs }) => untilMs)) - now;
      await this.#clock.sleep(Math.ceil(Math.max(1, Math.min(waitMs, endsMs, LONGEST_NAP_MS))), nap.signal).catch(() => {});
    }
    this.#nap = undefined;
  }
}
