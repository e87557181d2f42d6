import type { Pin } from "../../archive/snapshots/pins.ts";
import type { AbiWatch } from "../visit/abi-watch.ts";
import type { SnapshotOutcome } from "./progress.ts";
import type { RunCost } from "./run-cost.ts";
import { readSnapshot } from "./snapshot.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import type { SyncSummary } from "./summary.ts";
import { isTonights, type Tonight } from "./tonight.ts";

/** One run: what its steps share. */
export type Night = Tonight & {
  readonly work: SnapshotWork & { readonly abiWatch: AbiWatch };
  readonly cost: RunCost;
  /** Versions that earlier runs began to read, and this one has finished. */
  readonly finished: Set<bigint>;
  /** A summary per snapshot, the run's own last. */
  readonly summaries: SyncSummary[];
};

export async function isWantedTonight(night: Night, pin: Pin): Promise<boolean> {
  const { store, clock } = night.work;
  return isTonights(night, pin, clock.now(), await store.othersAt(pin.ledgerVersion));
}

/** Reads what is left of a snapshot. */
export async function readSummed(night: Night, version: bigint, isResumed: boolean): Promise<SyncSummary> {
  return summarize(night, version, (await readSnapshot(night.work, version)).outcome, isResumed);
}

/** The summary of a snapshot whose work ends now, with the requests, bytes and time since the one before. */
export async function summarize(
  { work: { store, stop }, cost }: Night,
  version: bigint,
  outcome: SnapshotOutcome,
  isResumed: boolean,
): Promise<SyncSummary> {
  const held = await store.snapshotCounts(version);
  // A sealed snapshot has accounts to read when it was extended since.
  const isSealed = held.status.startsWith("sealed") && (await store.progress(version)).planned === 0;
  return {
    chainId: held.chainId,
    ledgerVersion: version,
    status: isSealed ? (held.status as "sealed" | "sealed_with_gaps") : "unsealed",
    accounts: held.accounts,
    modules: held.modules,
    changedModules: held.changedModules,
    ...outcome,
    ...cost.since(),
    gaps: held.gaps,
    digest: isSealed ? held.digest : null,
    isResumed,
    ...(held.passedOver !== null && { passedOver: held.passedOver }),
    ...(held.unreadRecords > 0 && { unreadRecords: held.unreadRecords }),
    stoppedBy: stop.reason,
  };
}
