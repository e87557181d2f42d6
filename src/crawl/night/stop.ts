import type { Clock } from "../../base/clock.ts";

/** Why a run ends before its plan does. */
export type StopReason = "budget" | "SIGINT" | "SIGTERM";

/**
 * Ends a run early without losing anything: after the first request to stop no account is begun; accounts that are still
 * being read after the grace time are aborted, and stay planned for the next run.
 */
export class Stop {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #abort = new AbortController();
  #reason: StopReason | undefined;

  /** `graceMs` is how long the accounts under way may take after the request to stop. */
  constructor(clock: Clock, graceMs = 20_000) {
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  /** Why the run is ending, or undefined while it is not. */
  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** Aborted when the accounts under way are not waited for any longer. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Asks the run to end; a second signal ends it at once. */
  request(reason: StopReason): void {
    if (this.#reason !== undefined) {
      if (reason !== "budget") this.#abort.abort(new StopError());
      return;
    }
    this.#reason = reason;
    this.#clock.sleep(this.#graceMs, this.#abort.signal).then(
      () => this.#abort.abort(new StopError()),
      () => undefined,
    );
  }

  /** Ends the grace timer, so that a finished process does not wait for it. */
  close(): void {
    this.#abort.abort(new StopError());
  }
}

/** What aborted requests reject with. Never shown: the run ends with its own message. */
class StopError extends Error {}
