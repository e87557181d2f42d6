import type { SealResult } from "../../db/archive/snapshots/seal.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { Address } from "../../move/address.ts";
import type { NodeFailed, NodeFailures } from "../../node/http/requester.ts";
import type { NodeStats } from "../../node/open-node.ts";
import { type StopReason, signalExit } from "../run/run-work.ts";
import type { ChoiceOutlook } from "../targets/choice.ts";
import type { ReadingAges } from "../targets/targets.ts";
import type { SnapshotOutcome } from "./progress.ts";
import type { RunTotals } from "./run-record.ts";
import type { HeadReport } from "./tonight.ts";

/** The result of one snapshot of a run. Counts are of the snapshot, except those of requests and bytes, which are of this run. */
export type SyncSummary = Omit<SealResult, "status" | "digest"> &
  Omit<SnapshotOutcome, "isSealedByAnother"> &
  Pick<NodeStats, "requests" | "retries" | "bytesReceived"> & {
    readonly chainId: number;
    readonly ledgerVersion: bigint;
    readonly status: "sealed" | "sealed_with_gaps" | "unsealed";
    /** 64 hex digits over all modules of the snapshot; null while it is unsealed. */
    readonly digest: string | null;
    readonly durationMs: number;
    /** Whether an earlier run began it. */
    readonly isResumed: boolean;
    /** Whether it was held before, and nothing of it was read. */
    readonly isHeld?: boolean;
    /** The machine whose process sealed it, where that was another process: what follows a night is the other's to do. */
    readonly sealedBy?: string;
    /** Whether other processes go on reading it. */
    readonly othersGoOn?: boolean;
    /** Accounts that are still to be read: only while it is unsealed. */
    readonly accountsLeft?: number;
    /** Whether no snapshot was sealed before. */
    readonly isFirst?: boolean;
    /** The accounts of the newest snapshot before, when this one has less than half of them. */
    readonly fewerThan?: number;
    /** The node's newest version at the beginning of the run: only with the run's last snapshot. */
    readonly head?: HeadReport;
    /** Modules of the snapshot whose bytes cannot be decoded: only with the run's last snapshot, where there are any. */
    readonly undecoded?: number;
    /** Targets that the budget left to other nights, by choice; undefined when everything was to be read. */
    readonly passedOver?: number;
    /** Accounts of which the modules alone were read, as `--records` said; undefined when all records were read too. */
    readonly unreadRecords?: number;
    /** What nights like this one come to, where it chose. */
    readonly outlook?: ChoiceOutlook;
    /** How old what is known of the targets is after a night that left some out: only with the run's last snapshot. */
    readonly ages?: ReadingAges;
    /** What asked the run to end, though the snapshot may have been whole by then. */
    readonly stoppedBy: StopReason | undefined;
    /** Where the budget was spent while the node failed: failures, requests of the run, lost time, and the last error. */
    readonly failing?: NodeFailed & { readonly of: number; readonly lostMs?: number };
    /** For a snapshot of an earlier run whose gaps were read again: how many, and the accounts that have answered. */
    readonly retried?: { readonly gaps: number; readonly filled: readonly Address[] };
  };

/** Whether every account was in hand when a signal came: the snapshot is sealed, and the run ends as interrupted all the same. */
export function sealedDespiteSignal({ status, stoppedBy }: SyncSummary): boolean {
  return status !== "unsealed" && signalExit(stoppedBy) !== undefined;
}

/**
 * How a run with these summaries ends: the worst of them, else what stopped it. Gaps of earlier snapshots that stay gaps do
 * not count, since they were reported in the night in which they arose; nor does what another process sealed and reports.
 */
export function exitOf(all: readonly SyncSummary[]): ExitName {
  const summaries = all.filter(({ retried, sealedBy }) => retried === undefined && sealedBy === undefined);
  const last = all.at(-1);
  if (summaries.some((summary) => summary.isLost)) return "lost";
  // With exit 0 a node that answers for no account could go unnoticed for weeks.
  if (last?.failing !== undefined) return "failed";
  // Before gaps: a list of thousands always has an account without an answer, and would hide for ever that the node stands still.
  if (last?.stoppedBy === undefined && summaries.at(-1)?.head?.isStale) return "stale";
  if (summaries.some(({ status, doubtful }) => status === "sealed_with_gaps" || doubtful !== undefined)) return "gaps";
  // The same command would not go on.
  const isTooSmall = all.length === 1 && last?.isTooSmall && last.status === "unsealed" && !last.othersGoOn;
  return signalExit(last?.stoppedBy) ?? (isTooSmall || (last !== undefined && isGivenUp(last)) ? "failed" : "done");
}

/** Whether the node answered for none of the accounts that a snapshot was to have, perhaps in another process: it is not tried again. */
export const isGivenUp = ({ status, accountsLeft, retried }: SyncSummary): boolean =>
  status === "unsealed" && accountsLeft === 0 && retried === undefined;

/** What becomes of a snapshot that was not sealed: with no account left it is not tried again. */
export const leftWords = (summary: SyncSummary): string => (isGivenUp(summary) ? "is given up" : "stays unfinished");

/** Whether a sealed snapshot has no answer of most of its accounts: then it is not what anybody wanted. */
export function isMostlyGaps({ status, accounts, gaps }: SyncSummary): boolean {
  return status === "sealed_with_gaps" && gaps > accounts;
}

/** What the node did not answer for any snapshot of the run, if that is more than it read of the last one. */
export function unreadOf(summaries: readonly SyncSummary[]): SyncSummary["unread"] {
  const all = summaries.flatMap(({ unread }) => unread ?? []);
  const attempts = all.reduce((sum, one) => sum + one.attempts, 0);
  const last = all.at(-1)?.last;
  if (last !== undefined && attempts > Number(summaries.at(-1)?.accounts)) return { attempts, last };
  const [first, ...others] = summaries;
  // One that came to a second snapshot was answered for the first.
  if (first?.silent !== undefined && others.length === 0) return { attempts: first.silent, last: "no answer until the time was over" };
  return summaries.at(-1)?.unread;
}

/** A run is one of a failing node if this share of its time or its requests failed. Single failures happen on any network. */
const FAILING_SHARE = 1 / 4;

/**
 * Adds `failing` to the summary of a run whose budget was spent on failures, since a spent budget is else a good end. That is so if more
 * accounts failed than were read, or if `FAILING_SHARE` of the requests failed, or of the time was lost, pauses included.
 */
export function withFailing(
  summary: SyncSummary,
  failures: NodeFailures | undefined,
  run: { readonly requests: number; readonly isTimeSpent: boolean; readonly elapsedMs: number },
  unread = summary.unread,
): SyncSummary {
  const { status, stoppedBy, head } = summary;
  // One without a head is an earlier run's: this run has not come to its own.
  if (stoppedBy !== "budget" || (status !== "unsealed" && head !== undefined)) return summary;
  if (failures === undefined || (unread !== undefined && unread.attempts > failures.attempts))
    return unread === undefined ? summary : { ...summary, failing: { ...unread, of: run.requests } };
  const { attempts, last, lostMs } = failures;
  const failing = { attempts, last, of: run.requests };
  if (unread !== undefined || attempts / run.requests >= FAILING_SHARE) return { ...summary, failing };
  return !run.isTimeSpent || lostMs / run.elapsedMs < FAILING_SHARE ? summary : { ...summary, failing: { ...failing, lostMs } };
}

export function totalsOf(all: readonly SyncSummary[]): RunTotals {
  const summaries = all.filter(({ retried }) => retried === undefined);
  // The counts of a snapshot that was held before are those of another run.
  const read = summaries.filter(({ isHeld }) => isHeld !== true);
  const sum = (count: (summary: SyncSummary) => number): number => read.reduce((total, summary) => total + count(summary), 0);
  return {
    exit: exitOf(summaries),
    ledgerVersion: summaries.at(-1)?.ledgerVersion ?? null,
    accounts: sum(({ accounts }) => accounts),
    modules: sum(({ modules }) => modules),
    newBytecodes: all.reduce((total, { newBytecodes }) => total + newBytecodes, 0),
    gaps: sum(({ gaps }) => gaps),
  };
}
