import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";

/** `more`: a batch may wait. `end`: no more comes. */
export type ThreadMessage = "more" | "end";

/** So much new bytecode is worth a thread, which has to start and has a heap of its own. */
const WORTH_A_THREAD = 500;

/**
 * What the thread's young generation begins with, and keeps (the launcher lets none grow). With V8's own 1 MB, most of a batch is
 * copied over and over. With 8 a first crawl takes no less processor time, and 2 MB more; 21 where the launcher does not have the old
 * generation collected sooner.
 */
const SEMI_SPACE_MB = 4;

/**
 * The young generation is three semi-spaces. The old one stays near 40 MB. What it is allowed is so much more because V8 marks a
 * heap with a small limit over and over: with 96 MB from 24 to 35 MB on, which was a tenth of a first crawl's processor time, measured
 * before the launcher had it collected sooner.
 */
const LIMITS = { maxOldGenerationSizeMb: 2000, maxYoungGenerationSizeMb: 3 * SEMI_SPACE_MB };

/** A second thread that derives rows, from when there is much new bytecode until it has none left. One that fails is gone. */
export class ThreadBeside {
  readonly #file: URL;
  readonly #begin: () => unknown;
  readonly #onGone: () => void;
  #thread: Worker | undefined;
  #stored = 0;

  /** @param file what the thread runs; `begin` gives its `workerData`; `onGone` hears of its end, in whatever way it came */
  constructor(file: URL, begin: () => unknown, onGone: () => void = () => {}) {
    this.#file = file;
    this.#begin = begin;
    this.#onGone = onGone;
  }

  get isRunning(): boolean {
    return this.#thread !== undefined;
  }

  /** Hears how much bytecode came; tells the thread, which begins with the first that is enough. */
  count(newBytecodes: number): void {
    this.#stored += newBytecodes;
    if (this.#stored < WORTH_A_THREAD) return;
    this.#stored = 0;
    this.#thread ??= this.#start();
    this.#tell("more");
  }

  /** Waits until the thread has derived what is there, or ends it as it is at the signal. */
  async finish(signal: AbortSignal | undefined): Promise<void> {
    this.#stored = 0;
    const ending = this.#thread;
    if (ending === undefined) return;
    const end = () => void ending.terminate();
    const gone = new Promise((resolve) => void ending.once("exit", resolve));
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
    else this.#tell("end");
    await gone;
    signal?.removeEventListener("abort", end);
  }

  /** Ends the thread as it is: what it has not committed waits. */
  async terminate(): Promise<void> {
    await this.#thread?.terminate();
  }

  #tell(message: ThreadMessage): void {
    this.#thread?.postMessage(message);
  }

  #start(): Worker {
    // No resource limit says it. Only threads that begin from now on hear of it.
    setFlagsFromString(`--min-semi-space-size=${SEMI_SPACE_MB}`);
    const started = new Worker(this.#file, { workerData: this.#begin(), resourceLimits: LIMITS });
    // Its error comes again where its work is done after it. The end follows in any case.
    started.on("error", () => {});
    started.once("exit", () => {
      this.#thread = undefined;
      this.#onGone();
    });
    return started;
  }
}

/** The file of a thread beside the one that starts it: TypeScript in a checkout, JavaScript in a package. */
export function fileBeside(url: string, name: string): URL {
  const here = new URL(url);
  return new URL(`${name}.${here.pathname.endsWith(".ts") ? "ts" : "js"}`, here);
}
