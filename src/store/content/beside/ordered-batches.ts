import { setImmediate } from "node:timers/promises";
import type { BatchOrder } from "./batch-order.ts";

/** Bytecodes of a batch that are decoded in one go while another batch waits or is on its way to a server: some milliseconds. */
const SLICE = 8;

/** How waiting bytecode becomes rows. */
export type BatchWork<Waiting, Derived, Ready> = {
  /** What waits after a number, in the order of the numbers. */
  readonly read: (after: number, limit: number) => Promise<readonly Waiting[]>;
  readonly derive: (one: Waiting) => Promise<Derived>;
  /** What can be done for the storing of a batch before its turn, for which the other thread waits. */
  readonly gather: (batch: readonly Derived[]) => Ready;
  readonly store: (ready: Ready) => Promise<void>;
};

type Taken<Ready> = { readonly after: number; readonly last: number; readonly ready: Ready };

/** Derives batches in the order of their numbers, beside another thread that may do the same. */
export class OrderedBatches<Waiting extends { readonly id: number }, Derived, Ready> {
  readonly #work: BatchWork<Waiting, Derived, Ready>;
  readonly #order: BatchOrder;
  readonly #size: number;

  constructor(work: BatchWork<Waiting, Derived, Ready>, order: BatchOrder, size: number) {
    this.#work = work;
    this.#order = order;
    this.#size = size;
  }

  /**
   * Derives all whole batches, and the rest where no more comes; the next one is read and decoded while the one before waits for
   * its turn, or is stored by a server. Returns whether all is written that was taken here: the other may have given up, or the signal
   * may have come, at which both do.
   */
  async derive({ isEnding, signal }: { readonly isEnding: boolean; readonly signal?: AbortSignal | undefined }): Promise<boolean> {
    for (let taken = await this.#take(isEnding); taken !== undefined; ) {
      const next = this.#take(isEnding);
      // Where storing fails nobody asks for it.
      next.catch(() => {});
      if (!(await this.#store(taken))) return false;
      if (signal?.aborted) this.#order.giveUp();
      taken = await next;
    }
    return !this.#order.isGivenUp;
  }

  async #take(isEnding: boolean): Promise<Taken<Ready> | undefined> {
    while (!this.#order.isGivenUp) {
      const after = this.#order.taken;
      const waiting = await this.#work.read(after, this.#size);
      const last = waiting.at(-1)?.id;
      if (last === undefined || (waiting.length < this.#size && !isEnding)) return undefined;
      if (!this.#order.take(after, last)) continue;
      return { after, last, ready: await this.#orGiveUp(async () => this.#work.gather(await this.#derive(waiting))) };
    }
    return undefined;
  }

  async #derive(waiting: readonly Waiting[]): Promise<readonly Derived[]> {
    const derived: Derived[] = [];
    for (const one of waiting) {
      // First the batch before is stored, if it may be: the other thread waits for it. What it sends and hears goes on meanwhile.
      if (derived.length % SLICE === 0) await setImmediate();
      derived.push(await this.#work.derive(one));
    }
    return derived;
  }

  async #store({ after, last, ready }: Taken<Ready>): Promise<boolean> {
    if (!(await this.#order.isNext(after))) return false;
    await this.#orGiveUp(() => this.#work.store(ready));
    this.#order.wrote(after, last);
    return true;
  }

  /** What fails here is never written, and the other thread would wait for it. */
  async #orGiveUp<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#order.giveUp();
      throw error;
    }
  }
}
