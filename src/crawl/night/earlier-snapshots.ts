import { statusQueries } from "../../archive/read/status-queries.ts";
import { claimQueries } from "../../archive/snapshots/claims.ts";
import { gapQueries } from "../../archive/snapshots/gaps.ts";
import { planQueries } from "../../archive/snapshots/plan-queries.ts";
import type { Snapshot } from "../../archive/snapshots/snapshot-queries.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { recordsToRead, scopeOf } from "../targets/targets.ts";
import { type Night, readSummed, sealPruned, summarize, WorkerError } from "./night.ts";
import { NOTHING_READ } from "./progress.ts";
import type { SyncSummary } from "./summary.ts";

/** Reads what is left of a snapshot that an earlier run began, and the rest of tonight's accounts if it is tonight's. */
export async function resumeSnapshot(night: Night, snapshot: Snapshot, isTonights: boolean): Promise<SyncSummary> {
  const { engine, node, clock, log } = night.work;
  const { ledgerVersion } = snapshot;
  const { oldestVersion, ledgerVersion: newest } = night.head;
  // What was chosen for a budget is not widened: the next night chooses anew.
  const scope = isTonights && snapshot.passedOver === undefined ? await scopeOf(engine, night.request.scope) : [];
  const records = await recordsToRead(engine, night.request.records, night.head, ledgerVersion);
  const isReadable = ledgerVersion >= oldestVersion;
  const isShared = (await claimQueries(engine, { now: clock.now }).accountsLeft(ledgerVersion)).claimed > 0;
  if ((!isReadable || ledgerVersion > newest) && isShared) throw WorkerError.pruned(ledgerVersion, node);
  if (isReadable) {
    // Others that read it have planned what they want.
    if (!isShared && snapshot.status === "unsealed") await planQueries(engine).retryGaps(ledgerVersion, records);
    if (!isShared) await planQueries(engine).extendSnapshot(ledgerVersion, scope, records);
    const message = isShared
      ? `joining other processes at ledger version ${ledgerVersion}`
      : `resuming the snapshot of ledger version ${ledgerVersion}, begun ${new Date(snapshot.createdAt).toISOString()}`;
    log("info", message, { ledger_version: ledgerVersion });
    return readSummed(night, ledgerVersion, !isShared);
  }
  log(
    "warn",
    `the node pruned up to ${oldestVersion} before the snapshot of ledger version ${ledgerVersion} was finished; sealing what was read`,
    { ledger_version: ledgerVersion, oldest_version: oldestVersion },
  );
  const message = `ledger version ${ledgerVersion} was pruned before the account was read; the node's oldest is ${oldestVersion}`;
  await sealPruned(night.work, ledgerVersion, message);
  return summarize(night, ledgerVersion, { ...NOTHING_READ, isLost: true }, true);
}

/**
 * Reads the gaps of earlier snapshots again at their versions, oldest first, until each account was tried as often as the run was
 * asked to; not those of snapshots that this run has read. A failure ends only this step.
 */
export async function retryGaps(night: Night): Promise<SyncSummary[]> {
  const { engine, node, stop, log } = night.work;
  const { gapTries: tries = 0, records } = night.request;
  const justRead = new Set(night.summaries.map(({ ledgerVersion }) => ledgerVersion));
  const summaries: SyncSummary[] = [];
  for (const { ledgerVersion, open } of tries === 0 ? [] : await gapQueries(engine).gapStates(tries)) {
    const oldest = node.lastHead()?.oldestVersion ?? 0n;
    if (stop.reason !== undefined) break;
    if (open === 0 || ledgerVersion < oldest || justRead.has(ledgerVersion)) continue;
    const before = (await statusQueries(engine).snapshotCounts(ledgerVersion)).gaps;
    const gaps = await gapQueries(engine).openGaps(ledgerVersion, tries);
    const planned = await planQueries(engine).extendSnapshot(ledgerVersion, gaps, records === "never" ? "none" : "all");
    try {
      const summary = await readSummed(night, ledgerVersion, true);
      summaries.push({
        ...summary,
        retried: { gaps: planned, filled: before - (await statusQueries(engine).snapshotCounts(ledgerVersion)).gaps },
      });
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
