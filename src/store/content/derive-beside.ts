import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import type { SealStore } from "../snapshots/seal.ts";
import type { VisitStore } from "../snapshots/visits.ts";
import type { DeriveStore } from "./derive.ts";
import { WriteTurn } from "./write-turn.ts";

/** What the thread is told when it begins. */
export type DerivingThread = { readonly path: string; readonly shared: SharedArrayBuffer; readonly self: number };

/** `more`: a batch may wait. `end`: no more comes. */
export type ThreadMessage = "more" | "end";

/** The methods of a store that store bytecode, those that write long, and the end of its work. */
type Deriving = Pick<VisitStore, "commitVisit" | "commitVisits"> &
  Pick<SealStore, "seal"> &
  Pick<DeriveStore, "derive"> & { readonly close: () => Promise<void> };

/** So much new bytecode is worth a thread, which has to start and has a heap of its own. */
const WORTH_A_THREAD = 500;
const CRAWLING = 1;
const DERIVING = 2;

/**
 * What the thread's young generation begins with, and keeps (the launcher lets none grow). With V8's own 1 MB, most of a batch is
 * copied over and over: 28 s of processor time for a first crawl with 1 MB, 24 to 26 with 4, no less with 8 or 16.
 */
const SEMI_SPACE_MB = 4;

/** A batch of rows is some 3 MB; without a limit the garbage of many would stay. The young generation is three semi-spaces. */
const LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 3 * SEMI_SPACE_MB };

/**
 * A store on an SQLite file that derives rows in a second thread as soon as visits have brought much new bytecode; the two
 * take turns at writing. `derive` waits for the thread and does what is left. A thread that fails leaves its work to that,
 * and so its error too; `close` ends it as it is, and what it has not committed waits.
 */
export function withDerivingBeside<S extends Deriving>(path: string, store: S): S {
  const turn = new WriteTurn(CRAWLING);
  let thread: Worker | undefined;
  let stored = 0;

  const tell = (message: ThreadMessage) => thread?.postMessage(message);
  const start = () => {
    const here = new URL(import.meta.url);
    const file = new URL(here.pathname.endsWith(".ts") ? "derive-thread.ts" : "derive-thread.js", here);
    const workerData: DerivingThread = { path, shared: turn.shared, self: DERIVING };
    // No resource limit says it. Only threads that begin from now on hear of it.
    setFlagsFromString(`--min-semi-space-size=${SEMI_SPACE_MB}`);
    const started = new Worker(file, { workerData, resourceLimits: LIMITS });
    const gone = () => {
      if (thread === started) thread = undefined;
      turn.release(DERIVING);
    };
    started.once("error", gone).once("exit", gone);
    return started;
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => (thread === undefined ? work() : turn.run(work));
  const count = (newBytecodes: number) => {
    stored += newBytecodes;
    if (stored < WORTH_A_THREAD) return;
    stored = 0;
    thread ??= start();
    tell("more");
  };
  const finish = async (signal: AbortSignal | undefined) => {
    stored = 0;
    const ending = thread;
    if (ending === undefined) return;
    const end = () => void ending.terminate();
    const gone = once(ending, "exit").catch(() => undefined);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted) end();
    else tell("end");
    await gone;
    signal?.removeEventListener("abort", end);
  };

  return {
    ...store,
    commitVisit: async (...visit) => {
      const result = await inTurn(() => store.commitVisit(...visit));
      count(result.newBytecodes);
      return result;
    },
    commitVisits: async (...visits) => {
      const results = await inTurn(() => store.commitVisits(...visits));
      count(results.reduce((sum, { newBytecodes }) => sum + newBytecodes, 0));
      return results;
    },
    seal: (...snapshot) => inTurn(() => store.seal(...snapshot)),
    derive: async (how) => {
      await finish(how?.signal);
      return store.derive(how);
    },
    close: async () => {
      await thread?.terminate();
      await store.close();
    },
  };
}
