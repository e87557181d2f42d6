import type { Gap } from "../../db/archive/snapshots/gaps.ts";
import type { PlanProgress } from "../../db/archive/snapshots/snapshot-queries.ts";
import type { NodeStats } from "../../node/open-node.ts";
import { holdsNothing, type Visited } from "../visit/visit-account.ts";

/** The rate shown is of the time since a mark that is at least so old, once there is one. */
const MARK_EVERY_MS = 5_000;

/** The progress of a snapshot that is being read. Counts are of this snapshot; rates are of this run. */
export type SnapshotProgress = Omit<NodeStats, "allowedPerSecond"> & {
  readonly ledgerVersion: bigint;
  readonly planned: number;
  /** Accounts answered for, in this run or an earlier one. */
  readonly done: number;
  readonly missed: number;
  /** Accounts answered for by this run, for the estimate of the time left. */
  readonly doneNow: number;
  readonly modules: number;
  readonly perSecond: number;
  /** Requests a second allowed now; undefined without a limit. */
  readonly limitPerSecond: number | undefined;
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

export type SnapshotOutcome = {
  /** Whether an account was pruned before it could be read. */
  readonly isLost: boolean;
  /** Bytecodes that the database did not have. */
  readonly newBytecodes: number;
  /** Accounts that hold nothing: no modules, and no record or that of an account never used. */
  readonly empty: number;
  /** Modules kept though they cannot be what the node called them; none where left out. */
  readonly doubtful?: number;
  /** Accounts that had modules and for which the node lists none, so that they are gaps; none where left out. */
  readonly emptied?: number;
  readonly isSealedByAnother?: boolean;
  readonly unread?: Unread;
  /** Accounts that the node left without an answer until the run's time was over, where it answered for none. */
  readonly silent?: number;
  /** Whether the requests or the time of the run were spent before one account was answered. */
  readonly isTooSmall?: true;
};

/** Failures of accounts in a run in which more failed than were read: how many, and the last one in words that are safe to print. */
export type Unread = { readonly attempts: number; readonly last: string };

export const NOTHING_READ: SnapshotOutcome = { isLost: false, newBytecodes: 0, empty: 0 };

/** Counts what becomes of a snapshot's plan from a time of the monotonic clock on, beginning with what earlier runs have read of it. */
export function countProgress({ planned: left, visited, missed }: PlanProgress, startedMs: number) {
  const planned = left + visited + missed;
  let mark: { readonly atMs: number; readonly requests: number } | undefined;
  let nextMark = mark;
  const perSecond = (atMs: number, requests: number): number => {
    mark ??= { atMs, requests };
    nextMark ??= mark;
    if (atMs - nextMark.atMs >= MARK_EVERY_MS) [mark, nextMark] = [nextMark, { atMs, requests }];
    return atMs > mark.atMs ? ((requests - mark.requests) * 1000) / (atMs - mark.atMs) : 0;
  };
  /** `doubtful` modules are kept though they cannot be what the node called them. */
  const count = { done: visited, missed, modules: 0, newBytecodes: 0, empty: 0, doubtful: 0, emptied: 0, isLost: false };
  return {
    count,
    answered: (visited: Visited, newBytecodes: number): void => {
      count.done = Math.min(count.done + 1, planned);
      count.modules += visited.modules.length;
      count.newBytecodes += newBytecodes;
      count.doubtful += visited.doubts.length;
      if (holdsNothing(visited)) count.empty += 1;
    },
    givenUp: ({ isFinal, reason }: Pick<Gap, "isFinal" | "reason">): void => {
      count.missed += 1;
      if (reason === "emptied") count.emptied += 1;
      count.isLost ||= isFinal;
    },
    /** What others have read counts as done: the plan up to a position, without what is in hand. */
    reached: (position: number): void => {
      count.done = Math.max(count.done, position - count.missed);
    },
    /** The progress at a time of the monotonic clock, in milliseconds; `oldest` is the node's oldest readable version. */
    progress: (ledgerVersion: bigint, now: number, stats: NodeStats, oldest: bigint | undefined): SnapshotProgress => {
      const { allowedPerSecond, ...sent } = stats;
      return {
        ledgerVersion,
        planned,
        done: count.done,
        missed: count.missed,
        doneNow: count.done - visited,
        modules: count.modules,
        ...sent,
        perSecond: perSecond(now, sent.requests),
        limitPerSecond: allowedPerSecond ?? undefined,
        elapsedMs: now - startedMs,
        aboveHorizon: oldest === undefined ? undefined : ledgerVersion - oldest,
      };
    },
  };
}
