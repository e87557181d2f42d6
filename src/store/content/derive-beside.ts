import type { Engine } from "../engine/engine.ts";
import type { VisitStore } from "../snapshots/visits.ts";
import { BATCH_BESIDE, BatchOrder } from "./beside/batch-order.ts";
import { LogFolding } from "./beside/log-folding.ts";
import { fileBeside, ThreadBeside } from "./beside/thread-beside.ts";
import { engineInTurn, WriteTurn } from "./beside/write-turn.ts";
import type { DerivingStore } from "./derive.ts";

/** What the thread is told when it begins. */
export type DerivingThread = {
  readonly path: string;
  readonly turn: SharedArrayBuffer;
  readonly self: number;
  readonly order: SharedArrayBuffer;
};

/** The methods of a store that store bytecode, and that derive. */
type Deriving = Pick<VisitStore, "commitVisit" | "commitVisits"> & Pick<DerivingStore, "derive" | "underived" | "beginBeside">;

/**
 * So many bytecodes that wait are worth the help of the crawling thread: the other derives as many in 1.3 s, and this one's own code for
 * it has to be compiled first. Each of the two remembers for itself which words and error maps are stored, so that some are twice.
 */
const WORTH_HELP = 2000;

/** What fails beside the thread is met again by what derives the rest. */
const leftForTheRest = (): void => {};

const CRAWLING = 1;
const DERIVING = 2;

/**
 * A store on an SQLite file that derives rows in a second thread as soon as visits have brought much new bytecode. The two take
 * turns at whatever they write: where SQLite made one wait for the other, a busy machine would make that longer than it waits.
 * `derive` helps the thread where much waits, and does what only it can do. A thread that fails leaves its work to that, and so its error;
 * `close` ends it as it is, and what it has not committed waits.
 */
export function withDerivingBeside<S extends Deriving>(
  path: string,
  { engine, close }: { readonly engine: Engine; readonly close: () => Promise<void> },
  storeOn: (engine: Engine) => S,
): S & { readonly close: () => Promise<void> } {
  const folding = new LogFolding(engine);
  const turn = new WriteTurn(CRAWLING, undefined, folding);
  let order = new BatchOrder();
  const begin = (): DerivingThread => {
    order = new BatchOrder();
    void folding.begin().catch(leftForTheRest);
    return { path, turn: turn.shared, self: DERIVING, order: order.shared };
  };
  const thread = new ThreadBeside(fileBeside(import.meta.url, "derive-thread"), begin, () => {
    turn.release(DERIVING);
    order.giveUp();
    void folding.end().catch(leftForTheRest);
  });
  const store = storeOn(engineInTurn(engine, turn));

  return {
    ...store,
    commitVisit: async (...visit) => {
      const result = await store.commitVisit(...visit);
      thread.count(result.newBytecodes);
      return result;
    },
    commitVisits: async (...visits) => {
      const results = await store.commitVisits(...visits);
      thread.count(results.reduce((sum, { newBytecodes }) => sum + newBytecodes, 0));
      return results;
    },
    derive: async (how) => {
      const { signal } = how ?? {};
      const isOfHelp = thread.isRunning && signal?.aborted !== true && (await store.underived()) >= WORTH_HELP;
      const helped = isOfHelp ? store.beginBeside({ batch: BATCH_BESIDE, order }).help(signal).catch(leftForTheRest) : undefined;
      await thread.finish(signal);
      await helped;
      return store.derive(how);
    },
    close: async () => {
      await thread.terminate();
      await close();
    },
  };
}
