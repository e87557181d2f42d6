import { NodeError } from "../../node/protocol/node-error.ts";
import { type Night, readSummed } from "./night.ts";
import type { SyncSummary } from "./summary.ts";

/**
 * Reads the gaps of earlier snapshots again at their versions, oldest first, until each account was tried as often as the run was
 * asked to; not those of snapshots that this run has read. A failure ends only this step.
 */
export async function retryGaps(night: Night): Promise<SyncSummary[]> {
  const { store, node, stop, log } = night.work;
  const { gapTries: tries = 0, records } = night.request;
  const justRead = new Set(night.summaries.map(({ ledgerVersion }) => ledgerVersion));
  const summaries: SyncSummary[] = [];
  for (const { ledgerVersion, open } of tries === 0 ? [] : await store.gapStates(tries)) {
    const oldest = node.lastHead()?.oldestVersion ?? 0n;
    if (stop.reason !== undefined) break;
    if (open === 0 || ledgerVersion < oldest || justRead.has(ledgerVersion)) continue;
    const before = (await store.snapshotCounts(ledgerVersion)).gaps;
    const gaps = await store.openGaps(ledgerVersion, tries);
    const planned = await store.withLease("plan", (turn) => turn.extendPin(ledgerVersion, gaps, records === "never" ? "none" : "all"));
    try {
      const summary = await readSummed(night, ledgerVersion, true);
      summaries.push({ ...summary, retried: { gaps: planned, filled: before - (await store.snapshotCounts(ledgerVersion)).gaps } });
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      log("warn", `the gaps of ledger version ${ledgerVersion} could not be tried again: ${error.message}`, {
        ledger_version: ledgerVersion,
      });
      break;
    }
  }
  return summaries;
}
