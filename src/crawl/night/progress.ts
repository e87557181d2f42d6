/** The progress of a snapshot that is being read. Counts are of this snapshot; rates are of this run. */
export type SnapshotProgress = {
  readonly ledgerVersion: bigint;
  /** Accounts in the plan. */
  readonly planned: number;
  /** Accounts answered for, in this run or an earlier one. */
  readonly done: number;
  /** Accounts given up as gaps. */
  readonly missed: number;
  /** Accounts answered for by this run, for the estimate of the time left. */
  readonly doneNow: number;
  readonly modules: number;
  readonly requests: number;
  readonly retries: number;
  readonly bytesReceived: number;
  /** Requests a second over the last seconds. */
  readonly perSecond: number;
  /** Requests a second allowed now; undefined without a limit. */
  readonly limitPerSecond: number | undefined;
  /** What is left of a pause that the node asked for, in milliseconds. */
  readonly pausedMs: number;
  /** Since this run began reading the snapshot, in milliseconds. */
  readonly elapsedMs: number;
  /** Versions between the node's oldest readable version and the pin; undefined before the first answer. */
  readonly aboveHorizon: bigint | undefined;
};

/** Milliseconds until the plan is done at the pace so far; undefined before the first account is done. */
export function estimateLeftMs(progress: SnapshotProgress): number | undefined {
  const left = progress.planned - progress.done - progress.missed;
  if (left <= 0) return 0;
  if (progress.doneNow === 0 || progress.elapsedMs <= 0) return undefined;
  return (left * progress.elapsedMs) / progress.doneNow;
}
