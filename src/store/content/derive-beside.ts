import type { SealStore } from "../snapshots/seal.ts";
import type { VisitStore } from "../snapshots/visits.ts";
import { fileBeside, ThreadBeside } from "./beside/thread-beside.ts";
import type { DeriveStore } from "./derive.ts";
import { WriteTurn } from "./write-turn.ts";

/** What the thread is told when it begins. */
export type DerivingThread = { readonly path: string; readonly shared: SharedArrayBuffer; readonly self: number };

/** The methods of a store that store bytecode, those that write long, and the end of its work. */
type Deriving = Pick<VisitStore, "commitVisit" | "commitVisits"> &
  Pick<SealStore, "seal"> &
  Pick<DeriveStore, "derive"> & { readonly close: () => Promise<void> };

const CRAWLING = 1;
const DERIVING = 2;

/**
 * A store on an SQLite file that derives rows in a second thread as soon as visits have brought much new bytecode; the two
 * take turns at writing. `derive` waits for the thread and does what is left. A thread that fails leaves its work to that,
 * and so its error too; `close` ends it as it is, and what it has not committed waits.
 */
export function withDerivingBeside<S extends Deriving>(path: string, store: S): S {
  const turn = new WriteTurn(CRAWLING);
  const data: DerivingThread = { path, shared: turn.shared, self: DERIVING };
  const thread = new ThreadBeside(fileBeside(import.meta.url, "derive-thread"), data, () => turn.release(DERIVING));
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => (thread.isRunning ? turn.run(work) : work());

  return {
    ...store,
    commitVisit: async (...visit) => {
      const result = await inTurn(() => store.commitVisit(...visit));
      thread.count(result.newBytecodes);
      return result;
    },
    commitVisits: async (...visits) => {
      const results = await inTurn(() => store.commitVisits(...visits));
      thread.count(results.reduce((sum, { newBytecodes }) => sum + newBytecodes, 0));
      return results;
    },
    seal: (...snapshot) => inTurn(() => store.seal(...snapshot)),
    derive: async (how) => {
      await thread.finish(how?.signal);
      return store.derive(how);
    },
    close: async () => {
      await thread.terminate();
      await store.close();
    },
  };
}
