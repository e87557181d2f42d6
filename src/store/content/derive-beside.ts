import { setImmediate } from "node:timers/promises";
import type { SealStore } from "../snapshots/seal.ts";
import type { VisitStore } from "../snapshots/visits.ts";
import { fileBeside, ThreadBeside, type ThreadMessage } from "./beside/thread-beside.ts";
import type { Derived, DeriveParts, DeriveStore, WaitingReader } from "./derive.ts";
import { WriteTurn } from "./write-turn.ts";

/** What the thread is told when it begins. */
export type DerivingThread = { readonly path: string; readonly shared: SharedArrayBuffer; readonly self: number };

/** What the thread is sent. `more`: a batch may wait in the file. `feed`: it shall leave what waits there. Rows to store. `end`: no more come. */
export type RowsMessage = ThreadMessage | "feed" | readonly Derived[];

/** What it says: at which bytecode it has stopped to read, or how many batches that it was sent are stored. */
export type Said = { readonly last: number } | { readonly written: number };

/** Bytecodes of a batch that is sent: what is made of them is garbage at once. Of 32, a tenth more processor time goes into copying it. */
const BATCH = 8;

/** Batches that the thread stores in one transaction. */
export const TOGETHER = 16;

/** Batches on their way to the thread: what it is storing, and as much again. */
const ON_THE_WAY_MAX = 2 * TOGETHER;

/** The methods of a store that store bytecode, those that write long, and the end of its work. */
type Deriving = Pick<VisitStore, "commitVisit" | "commitVisits"> &
  Pick<SealStore, "seal"> &
  Pick<DeriveStore, "derive"> &
  Pick<DeriveParts, "readWaiting"> & { readonly close: () => Promise<void> };

const CRAWLING = 1;
const DERIVING = 2;

/**
 * A store on an SQLite file that derives rows in a second thread as soon as visits have brought much new bytecode; the two take
 * turns at writing. When the crawl is over they share the work: to decode bytecode costs as much as to store its rows, so this
 * thread does the one and the second the other. `derive` waits for that and does what is left. A thread that fails leaves its
 * work to it, and so its error too; `close` ends it as it is, and what it has not committed waits.
 */
export function withDerivingBeside<S extends Deriving>(path: string, store: S): S {
  const turn = new WriteTurn(CRAWLING);
  const data: DerivingThread = { path, shared: turn.shared, self: DERIVING };
  let onTheWay = 0;
  let last: number | undefined;
  let hear = () => {};
  const onGone = () => {
    turn.release(DERIVING);
    hear();
  };
  const onMessage = (message: unknown) => {
    const said = message as Said;
    if ("last" in said) last = said.last;
    else onTheWay -= said.written;
    hear();
  };
  const thread = new ThreadBeside(fileBeside(import.meta.url, "derive-thread"), data, onGone, onMessage);
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => (thread.isRunning ? turn.run(work) : work());

  /** Decodes what waits and sends it, as fast as the thread stores it. */
  const feed = async (signal: AbortSignal | undefined): Promise<void> => {
    onTheWay = 0;
    last = undefined;
    thread.tell("feed");
    let reader: WaitingReader | undefined;
    const heard = () => hear();
    signal?.addEventListener("abort", heard, { once: true });
    while (thread.isRunning && signal?.aborted !== true) {
      if (last === undefined || onTheWay >= ON_THE_WAY_MAX) {
        await new Promise<void>((resolve) => {
          hear = resolve;
        });
        continue;
      }
      reader ??= store.readWaiting({ after: last });
      const batch = await reader.next({ isEnding: true, limit: BATCH });
      if (batch === undefined) break;
      onTheWay += 1;
      thread.tell(batch);
      // Lets in what the thread says.
      await setImmediate();
    }
    signal?.removeEventListener("abort", heard);
  };

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
      // A failure comes again below.
      await feed(how?.signal).catch(() => {});
      await thread.finish(how?.signal);
      return store.derive(how);
    },
    close: async () => {
      await thread.terminate();
      await store.close();
    },
  };
}
