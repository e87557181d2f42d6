import type { Store } from "../../work/store.ts";
import type { Batch } from "../../work/workers/batches.ts";

/** The pause before accounts that failed are tried again, by whoever takes them then. */
const ROUND_PAUSE_MS = 2_000;

/** A batch that is being read: knows when all its accounts are settled, and what becomes of it then. */
export class ActiveBatch {
  readonly batch: Batch;
  readonly #store: Store;
  #unsettled: number;
  #hasPostponed = false;
  #isGone = false;

  constructor(store: Store, batch: Batch, accounts: number) {
    this.#store = store;
    this.batch = batch;
    this.#unsettled = accounts;
  }

  /** Whether it is no longer this process's: another took it over, or it was given back. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** An account of it is answered for, or is to be tried again. The batch ends with the last one. @returns whether it ended */
  async settle(how: "answered" | "postponed"): Promise<boolean> {
    this.#unsettled -= 1;
    this.#hasPostponed ||= how === "postponed";
    if (this.#unsettled > 0 || this.#isGone) return false;
    await (this.#hasPostponed ? this.#store.postponeBatch(this.batch, ROUND_PAUSE_MS) : this.#store.completeBatch(this.batch));
    return true;
  }

  /** Another has taken it over: what is still read of it is thrown away. */
  lose(): void {
    this.#isGone = true;
  }

  /** Gives it back with what is left to visit. */
  async giveBack(): Promise<void> {
    if (this.#isGone) return;
    this.#isGone = true;
    await this.#store.releaseBatch(this.batch);
  }
}
