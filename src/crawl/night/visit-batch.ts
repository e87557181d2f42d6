import type { Visit } from "../../store/snapshots/visit-model.ts";
import type { Store } from "../../store/store.ts";

type Waiting<Result> = {
  readonly visit: Visit;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Stores all visits of one turn of the event loop in one transaction, which costs as much as everything that a quiet visit
 * writes. No visit waits longer than that turn, and one that cannot be stored fails alone.
 */
export class VisitBatch<Result = Awaited<ReturnType<Store["commitVisit"]>>> {
  readonly #commitAll: (visits: readonly Visit[]) => Promise<readonly Result[]>;
  readonly #commitOne: (visit: Visit) => Promise<Result>;
  #waiting: Waiting<Result>[] = [];

  constructor(commitAll: (visits: readonly Visit[]) => Promise<readonly Result[]>, commitOne: (visit: Visit) => Promise<Result>) {
    this.#commitAll = commitAll;
    this.#commitOne = commitOne;
  }

  /** Resolves when the visit is stored. Rejects with the store's error. */
  commit(visit: Visit): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ visit, resolve, reject }) === 1) setImmediate(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const results = await this.#commitAll(waiting.map(({ visit }) => visit));
      for (const [index, { resolve }] of waiting.entries()) resolve(results[index] as Result);
    } catch {
      // One of them was refused, so none is stored: now each by itself.
      for (const one of waiting) await this.#flushOne(one);
    }
  }

  async #flushOne({ visit, resolve, reject }: Waiting<Result>): Promise<void> {
    try {
      resolve(await this.#commitOne(visit));
    } catch (error) {
      reject(error);
    }
  }
}
