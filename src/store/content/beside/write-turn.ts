import type { Engine } from "../../engine/engine.ts";
import { assertOutside } from "../../engine/scope.ts";
import type { LogFolding } from "./log-folding.ts";

/** Who may write now: neither, the thread that crawls, or the one that derives beside it. */
const FREE = 0;

/**
 * Takes turns between two threads that write one SQLite file. SQLite would make a thread sleep until the other is done; here
 * it goes on with what is no writing. Shared memory, so that a turn is given without a message.
 */
export class WriteTurn {
  readonly shared: SharedArrayBuffer;
  readonly #word: Int32Array;
  readonly #self: number;
  readonly #folding: LogFolding | undefined;

  /** @param self a number of this thread's own, above 0; `folding` goes on between its turns */
  constructor(
    self: number,
    shared: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    folding: LogFolding | undefined = undefined,
  ) {
    this.shared = shared;
    this.#folding = folding;
    this.#word = new Int32Array(shared);
    this.#self = self;
  }

  /** Does a piece of work in this thread's turn. Not to be called within one. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      const holder = Atomics.compareExchange(this.#word, 0, FREE, this.#self);
      if (holder === FREE) break;
      await Atomics.waitAsync(this.#word, 0, holder).value;
    }
    try {
      await this.#folding?.inTurn();
      return await work();
    } finally {
      this.release(this.#self);
      await this.#folding?.afterTurn();
    }
  }

  /** Gives back the turn of a thread that has died. */
  release(holder: number): void {
    if (Atomics.compareExchange(this.#word, 0, holder, FREE) === holder) Atomics.notify(this.#word, 0, 1);
  }
}

/**
 * An engine that writes in a thread's turn only. A statement that writes and gives rows (`all` and `first` with RETURNING) waits
 * for SQLite itself, as every statement does where another process writes.
 */
export function engineInTurn(engine: Engine, turn: WriteTurn): Engine {
  return {
    ...engine,
    run: async (statement, values) => {
      assertOutside(engine);
      return turn.run(() => engine.run(statement, values));
    },
    transaction: async (work, options) => {
      if (options?.mode === "read") return engine.transaction(work, options);
      // Where a transaction asks for another it would wait for itself.
      assertOutside(engine);
      return turn.run(() => engine.transaction(work, options));
    },
  };
}
