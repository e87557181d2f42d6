import type { Clock } from "../../base/clock.ts";
import { MovedexError } from "../../errors.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import type { Store } from "../../store/store.ts";
import { HeadWatch } from "../horizon/head-watch.ts";

/** What recording a run needs. */
export type RecordedWork = { readonly store: Store; readonly node: LedgerNode; readonly clock: Clock; readonly appVersion: string };

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
 * Runs `night` with a row in the table of runs, and samples the node's window from its answers meanwhile. A run that dies
 * leaves its row unfinished, which shows that it died. `totals` is called when the night is over, or has failed.
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
    failure = undefined;
    return result;
  } catch (error) {
    if (error instanceof MovedexError) failure = error.exit;
    throw error;
  } finally {
    await watch.close();
    const { requests, retries, bytesReceived } = node.stats();
    const { exit, ...counts } = totals();
    await store.finishRun(id, { now: clock.now(), exit: failure ?? exit, requests, retries, bytesReceived, ...counts });
  }
}
