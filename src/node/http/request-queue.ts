import PQueue from "p-queue";

/** Runs at most `concurrency` tasks at once, in the order they came, and holds back whoever would make the line long. */
export class RequestQueue {
  readonly #queue: PQueue;
  readonly #longest: number;

  constructor(concurrency: number) {
    this.#queue = new PQueue({ concurrency });
    // A waiting task costs a kilobyte, and callers do not need to be far ahead.
    this.#longest = 2 * concurrency;
  }

  /** The task's result, once it had its turn. Rejects with the signal's reason when that is aborted, wherever the task is. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted();
    while (this.#queue.size >= this.#longest) await orAborted(this.#queue.onSizeLessThan(this.#longest), signal);
    return this.#queue.add(task, signal ? { signal } : {});
  }
}

async function orAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort);
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
