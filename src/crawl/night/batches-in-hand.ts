import type { Log } from "../../base/log.ts";
import type { Batch, batchQueries, PlannedRead } from "../../work/workers/batches.ts";
import { isTakenOver } from "../../work/workers/sharing.ts";

/** The pause before accounts that failed are tried again, by whoever takes them then. */
const ROUND_PAUSE_MS = 2_000;

/** A batch that is being read. */
export type BatchInHand = Batch & {
  /** Accounts that are neither answered for nor to be tried again. */
  unsettled: number;
  hasPostponed: boolean;
  /** Whether it is no longer this process's: another took it over, or it was given back. */
  isGone: boolean;
};

/** The batches of a plan that this process reads: two at the turn from one to the next, more only where gaps are pending. */
export function openBatches(queries: Omit<ReturnType<typeof batchQueries>, "openBatches" | "batchesLeft">, log: Log) {
  const held = new Set<BatchInHand>();

  /** Whether an error says that another worker took a batch over. What is still read of it is then thrown away. */
  function isLost(error: unknown, batch: BatchInHand): boolean {
    if (!isTakenOver(error, batch.lease)) return false;
    if (!batch.isGone) log("warn", "this worker's lease ran out, and another worker took over its batch", error.facts);
    batch.isGone = true;
    held.delete(batch);
    return true;
  }

  return {
    isLost,
    count: (): number => held.size,
    /** Takes the next batch that is to be had, with the accounts to visit; undefined when there is none. */
    take: async (version: bigint): Promise<{ readonly taken: BatchInHand; readonly accounts: readonly PlannedRead[] } | undefined> => {
      const batch = await queries.takeBatch(version);
      if (batch === undefined) return undefined;
      const accounts = await queries.accountsOf(batch);
      const taken: BatchInHand = { ...batch, unsettled: accounts.length, hasPostponed: false, isGone: false };
      held.add(taken);
      return { taken, accounts };
    },
    /** An account of a batch is answered for, or is to be tried again. The batch ends with its last one. */
    settle: async (batch: BatchInHand, how: "answered" | "postponed"): Promise<void> => {
      batch.unsettled -= 1;
      batch.hasPostponed ||= how === "postponed";
      if (batch.unsettled > 0 || batch.isGone) return;
      try {
        await (batch.hasPostponed ? queries.postponeBatch(batch, ROUND_PAUSE_MS) : queries.completeBatch(batch));
        held.delete(batch);
      } catch (error) {
        if (!isLost(error, batch)) throw error;
      }
    },
    /** Gives all of them back, with what is left to visit. */
    giveBack: async (): Promise<void> => {
      for (const batch of held) {
        batch.isGone = true;
        await queries.releaseBatch(batch).catch(() => {});
      }
      held.clear();
    },
  };
}
