/** How far a snapshot is, as told while it is being read. Counts are of this snapshot; rates are of this run. */
export type Progress = {
  readonly ledgerVersion: bigint;
  /** Accounts in the plan. */
  readonly planned: number;
  /** Accounts answered for, those of an earlier run of this snapshot included. */
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
  /** How long the node asked everybody to wait, in milliseconds from now; 0 when it did not. */
  readonly pausedMs: number;
  /** Since this run began reading the snapshot, in milliseconds. */
  readonly elapsedMs: number;
  /** Versions between the node's oldest readable version and the pin; undefined before the first answer. */
  readonly aboveHorizon: bigint | undefined;
};

/** Milliseconds until the plan is done at the pace so far, or undefined while there is none to judge by. */
export function estimateLeftMs(progress: Progress): number | undefined {
  const left = progress.planned - progress.done - progress.missed;
  if (left <= 0) return 0;
  if (progress.doneNow === 0 || progress.elapsedMs <= 0) return undefined;
  return (left * progress.elapsedMs) / progress.doneNow;
}
