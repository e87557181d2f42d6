import type { VisitStore } from "../../snapshots/visits.ts";
import { releaseNamed } from "../../work/leases.ts";
import type { SharingStore, Turn, Worker } from "../../work/sharing.ts";
import { fileBeside, ThreadBeside } from "./thread-beside.ts";

/** What the thread is told when it begins: where the database is, and the worker that it belongs to. */
export type ServerThread = { readonly address: string; readonly owner: string; readonly ttlMs: number | undefined };

/** Whoever derives has this turn, in whichever thread. */
export const DERIVING: Turn = "derive";

/** The methods of a worker's store that store bytecode, the taking of turns, and the end of its work. */
type Deriving<S> = Pick<VisitStore, "commitVisit" | "commitVisits"> &
  Pick<SharingStore<S>, "inTurn"> & { readonly close: () => Promise<void> };

/**
 * A worker's store on a server that derives rows in a second thread, on connections of its own, as soon as visits have brought
 * much new bytecode. The thread has the turn to derive only while something waits, so that of several workers any may; where
 * another has it, that one does the work. Who takes the turn in this thread waits for the other first, and does what is left.
 */
export function withDerivingOnServer<I, S extends I & Deriving<I>>(address: string, { lease, raw, options }: Worker, store: S): S {
  const { owner } = lease;
  const data: ServerThread = { address, owner, ttlMs: options.ttlMs };
  let released = Promise.resolve();
  // One that ended by itself has given the turn back; of one that was ended or failed nobody else would, and this worker keeps renewing it.
  const giveBack = () => {
    released = releaseNamed(raw, DERIVING, owner).catch(() => {});
  };
  const thread = new ThreadBeside(fileBeside(import.meta.url, "server-thread"), () => data, giveBack);
  const inTurn: SharingStore<I>["inTurn"] = async (turn, work, signal) => {
    if (turn === DERIVING) {
      await thread.finish(signal);
      await released;
    }
    return store.inTurn(turn, work, signal);
  };

  return {
    ...store,
    inTurn,
    commitVisit: async (...visit: Parameters<VisitStore["commitVisit"]>) => {
      const result = await store.commitVisit(...visit);
      thread.count(result.newBytecodes);
      return result;
    },
    commitVisits: async (...visits: Parameters<VisitStore["commitVisits"]>) => {
      const results = await store.commitVisits(...visits);
      thread.count(results.reduce((sum, { newBytecodes }) => sum + newBytecodes, 0));
      return results;
    },
    close: async () => {
      await thread.terminate();
      await released;
      await store.close();
    },
  };
}
