import { MovedexError } from "../errors.ts";
import type { ExitName } from "../exit-codes.ts";
import type { LedgerHead } from "../node/ledger-head.ts";
import { exitOf, type SyncSummary } from "./summary.ts";
import type { SyncWork } from "./sync.ts";

/**
 * Runs `night` with a row in the diary of runs, and takes down what the node says of its window before and after.
 * A run that dies leaves its row open, which tells that it died.
 *
 * @returns the summaries that `night` pushed
 */
export async function inDiary(
  work: SyncWork,
  command: string,
  head: LedgerHead,
  night: (summaries: SyncSummary[]) => Promise<void>,
): Promise<SyncSummary[]> {
  const id = work.store.startRun({ command, appVersion: work.appVersion, now: work.clock.now() });
  const summaries: SyncSummary[] = [];
  sampleHead(work, head);
  let exit: ExitName = "failed";
  try {
    await night(summaries);
    exit = exitOf(summaries);
  } catch (error) {
    if (error instanceof MovedexError) exit = error.exit;
    throw error;
  } finally {
    const last = work.node.lastHead();
    if (last !== undefined && last !== head) sampleHead(work, last);
    const { requests, retries, bytesReceived } = work.node.stats();
    const sum = (count: (summary: SyncSummary) => number) => summaries.reduce((total, summary) => total + count(summary), 0);
    work.store.finishRun(id, {
      now: work.clock.now(),
      exit,
      ledgerVersion: summaries.at(-1)?.ledgerVersion ?? null,
      requests,
      retries,
      bytesReceived,
      accounts: sum(({ accounts }) => accounts),
      modules: sum(({ modules }) => modules),
      newBytecodes: sum(({ newBytecodes }) => newBytecodes),
      gaps: sum(({ gaps }) => gaps),
    });
  }
  return summaries;
}

function sampleHead(work: SyncWork, head: LedgerHead): void {
  work.store.addHeadSample({
    node: work.node.url,
    sampledAt: work.clock.now(),
    headVersion: head.ledgerVersion,
    oldestVersion: head.oldestVersion,
    timestampUsec: head.timestampUsec,
  });
}
