import type { Engine } from "../engine/engine.ts";
import type { VisitStore } from "../snapshots/visits.ts";
import { fileBeside, ThreadBeside } from "./beside/thread-beside.ts";
import type { DeriveStore } from "./derive.ts";
import { engineInTurn, WriteTurn } from "./write-turn.ts";

/** What the thread is told when it begins. */
export type DerivingThread = { readonly path: string; readonly shared: SharedArrayBuffer; readonly self: number };

/** The methods of a store that store bytecode, and that derives. */
type Deriving = Pick<VisitStore, "commitVisit" | "commitVisits"> & Pick<DeriveStore, "derive">;

const CRAWLING = 1;
const DERIVING = 2;

/**
 * A store on an SQLite file that derives rows in a second thread as soon as visits have brought much new bytecode. The two take
 * turns at whatever they write: where SQLite made one wait for the other, a busy machine would make that longer than it waits.
 * `derive` waits for the thread and does what is left. A thread that fails leaves its work to that, and so its error too;
 * `close` ends it as it is, and what it has not committed waits.
 */
export function withDerivingBeside<S extends Deriving>(
  path: string,
  { engine, close }: { readonly engine: Engine; readonly close: () => Promise<void> },
  storeOn: (engine: Engine) => S,
): S & { readonly close: () => Promise<void> } {
  const turn = new WriteTurn(CRAWLING);
  const data: DerivingThread = { path, shared: turn.shared, self: DERIVING };
  const thread = new ThreadBeside(fileBeside(import.meta.url, "derive-thread"), data, () => turn.release(DERIVING));
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
      await thread.finish(how?.signal);
      return store.derive(how);
    },
    close: async () => {
      await thread.terminate();
      await close();
    },
  };
}
