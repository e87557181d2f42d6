import type { PlanRecords } from "../../archive/snapshots/plan.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunCost } from "./run-cost.ts";
import { readSnapshot } from "./snapshot.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import type { SyncSummary } from "./summary.ts";

/**
 * Reads the gaps of earlier snapshots again at their versions, oldest first, until each account was tried `tries` times; not
 * those in `except`. `records` says which records are read. A failure ends only this step.
 */
export async function retryGaps(
  work: SnapshotWork,
  cost: RunCost,
  tries: number,
  except: ReadonlySet<bigint>,
  records?: PlanRecords,
): Promise<SyncSummary[]> {
  const { store, node, stop, log } = work;
  const summaries: SyncSummary[] = [];
  for (const { ledgerVersion, open } of tries === 0 ? [] : await store.gapStates(tries)) {
    const oldest = node.lastHead()?.oldestVersion ?? 0n;
    if (stop.reason !== undefined) break;
    if (open === 0 || ledgerVersion < oldest || except.has(ledgerVersion)) continue;
    const before = (await store.snapshotCounts(ledgerVersion)).gaps;
    const gaps = await store.openGaps(ledgerVersion, tries);
    const planned = await store.withLease("plan", (turn) => turn.extendPin(ledgerVersion, gaps, records));
    try {
      const outcome = await readSnapshot(work, ledgerVersion);
      const summary = await cost.summarize(ledgerVersion, outcome, true);
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
