import type { Visit } from "../../store/snapshots/visit-model.ts";
import type { Store } from "../../store/store.ts";

type Waiting<Result> = {
  readonly visit: Visit;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Takes down together what comes within one turn of the event loop: a transaction costs as much as all that a quiet visit
 * writes. Nothing waits longer than that turn, and a visit that cannot be stored fails alone.
 */
export class VisitBatch<Result = ReturnType<Store["commitVisit"]>> {
  readonly #commitAll: (visits: readonly Visit[]) => readonly Result[];
  readonly #commitOne: (visit: Visit) => Result;
  #waiting: Waiting<Result>[] = [];

  constructor(commitAll: (visits: readonly Visit[]) => readonly Result[], commitOne: (visit: Visit) => Result) {
    this.#commitAll = commitAll;
    this.#commitOne = commitOne;
  }

  /** Resolves when the visit is stored. Rejects with what the store says of it. */
  commit(visit: Visit): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ visit, resolve, reject }) === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const results = this.#commitAll(waiting.map(({ visit }) => visit));
      for (const [index, { resolve }] of waiting.entries()) resolve(results[index] as Result);
    } catch {
      // One of them was refused, and none is stored: each tells for itself.
      for (const one of waiting) this.#flushOne(one);
    }
  }

  #flushOne({ visit, resolve, reject }: Waiting<Result>): void {
    try {
      resolve(this.#commitOne(visit));
    } catch (error) {
      reject(error);
    }
  }
}
