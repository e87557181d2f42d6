import type { Clock } from "../../base/time/clock.ts";
import { MovedexError } from "../../errors.ts";
import type { ExitName } from "../../exit-codes.ts";
import { HeadWatch } from "../horizon/head-watch.ts";
import { type DerivingWork, deriveRows } from "./derive-rows.ts";

/** What recording a run needs. */
export type RecordedWork = DerivingWork & { readonly clock: Clock; readonly appVersion: string };

/** What a run did, for its row in the table of runs. */
export type RunTotals = {
  readonly exit: ExitName;
  /** The snapshot it worked on last; null when it worked on none. */
  readonly ledgerVersion: bigint | null;
  readonly accounts: number;
  readonly modules: number;
  readonly newBytecodes: number;
  readonly gaps: number;
};

/**
 * Runs `night` with a row in the table of runs, samples the node's window meanwhile, and then derives the rows of what it stored,
 * also after a failure. A run that dies leaves its row unfinished.
 */
export async function recordRun<T>(
  work: RecordedWork,
  command: string,
  night: (watch: HeadWatch) => Promise<T>,
  totals: () => RunTotals,
): Promise<T> {
  const { store, node, clock } = work;
  const id = await store.startRun({ command, appVersion: work.appVersion, now: clock.now() });
  const watch = await HeadWatch.begin(work);
  let failure: ExitName | undefined = "failed";
  try {
    const result = await night(watch);
    await deriveRows(work);
    failure = undefined;
    return result;
  } catch (error) {
    if (error instanceof MovedexError) failure = error.exit;
    // What stopped the run is told, whatever becomes of the rows: those that are still to come are there after the next.
    await deriveRows(work).catch(() => undefined);
    throw error;
  } finally {
    await watch.close();
    const { requests, retries, bytesReceived } = node.stats();
    const { exit, ...counts } = totals();
    await store.finishRun(id, { now: clock.now(), exit: failure ?? exit, requests, retries, bytesReceived, ...counts });
  }
}
