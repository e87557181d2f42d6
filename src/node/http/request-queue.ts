import PQueue from "p-queue";

/** Runs at most `concurrency` tasks at once, in order of arrival, and makes callers wait before the queue grows long. */
export class RequestQueue {
  readonly #queue: PQueue;
  readonly #longest: number;

  constructor(concurrency: number) {
    this.#queue = new PQueue({ concurrency });
    // A queued task costs a kilobyte, and callers gain nothing from being far ahead.
    this.#longest = 2 * concurrency;
  }

  /** Runs a task when its turn comes. Rejects with the signal's reason once that is aborted, before or after the task began. */
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
