import type { Clock } from "../../base/time/clock.ts";
import { Stop, type StopReason } from "../run/stop.ts";

/** The stop of one snapshot within a run: what ends the run ends the snapshot, and the snapshot alone can be given up. */
export class YieldingStop extends Stop {
  readonly #run: Stop;
  #isGivenUp = false;

  constructor(run: Stop, clock: Clock) {
    super(clock);
    this.#run = run;
  }

  override get reason(): StopReason | undefined {
    return this.#run.reason ?? (this.#isGivenUp ? "budget" : undefined);
  }

  override get signal(): AbortSignal {
    return this.#run.signal;
  }

  override request(reason: StopReason): void {
    this.#run.request(reason);
  }

  /** Whether the snapshot was given up while the run continues. */
  get isGivenUp(): boolean {
    return this.#isGivenUp && this.#run.reason === undefined;
  }

  /** Begins no further account; those under way are finished. */
  giveUp(): void {
    this.#isGivenUp = true;
  }
}
