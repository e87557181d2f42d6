import type { Clock } from "../../base/clock.ts";
import { MovedexError } from "../../errors.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import type { Store } from "../../store/store.ts";
import { HeadWatch } from "../horizon/head-watch.ts";

/** What a run works with, as far as the diary is concerned. */
export type DiaryWork = { readonly store: Store; readonly node: LedgerNode; readonly clock: Clock; readonly appVersion: string };

/** What a run came to, for its row in the diary. */
export type Tally = {
  readonly exit: ExitName;
  /** The snapshot it worked on last; null when it worked on none. */
  readonly ledgerVersion: bigint | null;
  readonly accounts: number;
  readonly modules: number;
  readonly newBytecodes: number;
  readonly gaps: number;
};

/**
 * Runs `night` with a row in the diary of runs, and takes down what the node's answers say of its window meanwhile.
 * A run that dies leaves its row open, which tells that it died. `tally` is asked when the night is over, or has failed.
 */
export async function inDiary<T>(
  work: DiaryWork,
  command: string,
  night: (watch: HeadWatch) => Promise<T>,
  tally: () => Tally,
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
    const { exit, ...counts } = tally();
    await store.finishRun(id, { now: clock.now(), exit: failure ?? exit, requests, retries, bytesReceived, ...counts });
  }
}
