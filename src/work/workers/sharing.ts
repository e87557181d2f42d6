import { setTimeout as delay } from "node:timers/promises";
import type { Engine } from "../../engine/engine.ts";
import { StoreError } from "../../engine/errors.ts";
import { turnEngine } from "../../engine/leases/fenced-engine.ts";
import { type Lease, type LeaseOptions, releaseLease, type TakeOptions, takeTurn } from "../../engine/leases/leases.ts";
import { countOthersAt, listWorkers, setWorkerVersion, type WorkerCounts, type WorkerState } from "./workers.ts";

/** What one worker does at a time: plan and seal, derive rows, plan backfill, or open, plan and end a trace. */
export type Turn = "plan" | "derive" | "backfill" | "trace";

/** How a process shares its work with others. A process that is alone gets every lease at once. */
export type SharingStore<Store> = {
  /** Whether other processes may be at work on the same plans. */
  readonly isShared: boolean;
  /**
   * Does work under a lease, with a store that writes only while it is held. If another takes it over, the work starts again in its
   * next turn. @throws StoreError `MOVEDEX_STORE_FENCED` when that happens again and again; the signal's reason
   */
  readonly withLease: <T>(this: Store, turn: Turn, work: (store: Store) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** Says which snapshot this process reads; undefined for none. */
  readonly announceVersion: (ledgerVersion: bigint | undefined) => Promise<void>;
  /** How many other processes read a snapshot now. */
  readonly othersAt: (ledgerVersion: bigint) => Promise<number>;
  /** What this process has done so far, told to the others with its next sign of life. */
  readonly reportCounts: (counts: Partial<WorkerCounts>) => void;
  /** All processes that share the work, see `WorkerState`. */
  readonly workers: () => Promise<readonly WorkerState[]>;
};

/** A process among others: its right to be there, and the engine as it is without that. */
export type Worker = Pick<SharingStore<never>, "reportCounts"> & {
  readonly lease: Lease;
  readonly raw: Engine;
  readonly options: LeaseOptions;
};

/** How often one looks whether its turn has come. */
const LOOK_EVERY_MS = 250;

/** How often a piece of work is begun whose turn another takes over each time. */
const MOST_TURNS = 10;

export function singleProcessSharing<Store>(engine: Engine, clock: () => number): SharingStore<Store> {
  return {
    isShared: false,
    // By `this`, so that what was laid around the store is in it.
    withLease(_, work) {
      return work(this);
    },
    announceVersion: async () => {},
    othersAt: async () => 0,
    reportCounts: () => {},
    workers: () => listWorkers(engine, clock()),
  };
}

/** The sharing of a worker. `storeOn` makes a store on an engine that writes only under a lease; `onNotice` hears that one was lost. */
export function workerSharing<Store>(
  { lease, raw, options, reportCounts }: Worker,
  storeOn: (engine: Engine) => Store,
  onNotice: (sentence: string) => void = () => {},
): SharingStore<Store> {
  const { owner } = lease;
  return {
    isShared: true,
    withLease: async (turn, work, signal) => {
      for (let turns = 1; ; turns++) {
        const taken = await waitForLease(raw, turn, { ...options, owner }, signal);
        try {
          return await work(storeOn(turnEngine(raw, taken)));
        } catch (error) {
          if (turns === MOST_TURNS || !isTakenOver(error, taken)) throw error;
          onNotice(
            `another worker took over \`${turn}\`, since the lease of this one ran out. Nothing was written after that. This worker looks again what is left when its turn comes`,
          );
        } finally {
          // Where that fails it ends by itself.
          await releaseLease(raw, taken).catch(() => {});
        }
      }
    },
    announceVersion: (version) => setWorkerVersion(raw, owner, version),
    othersAt: (version) => countOthersAt(raw, owner, version, options.now()),
    reportCounts,
    workers: () => listWorkers(raw, options.now()),
  };
}

/** Whether an error says that another process has taken this lease over. */
export function isTakenOver(error: unknown, lease: Lease | undefined): error is StoreError {
  return error instanceof StoreError && error.code === "MOVEDEX_STORE_FENCED" && error.facts["lease"] === lease?.name;
}

async function waitForLease(engine: Engine, name: string, options: TakeOptions, signal: AbortSignal | undefined): Promise<Lease> {
  for (;;) {
    signal?.throwIfAborted();
    const taken = await takeTurn(engine, name, options);
    if (taken !== undefined) return taken;
    await delay(LOOK_EVERY_MS, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  }
}
