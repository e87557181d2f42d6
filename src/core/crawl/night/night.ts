import { statusQueries } from "../../db/archive/read/status-queries.ts";
import { type AccountsLeft, CLAIM_MS, claimQueries, WAIT_MS } from "../../db/archive/snapshots/claims.ts";
import { gapQueries } from "../../db/archive/snapshots/gaps.ts";
import { planQueries } from "../../db/archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../db/archive/snapshots/seal.ts";
import { snapshotQueries } from "../../db/archive/snapshots/snapshot-queries.ts";
import { MovedexError } from "../../errors.ts";
import type { LedgerNode } from "../../node/open-node.ts";
import type { RunWork } from "../run/run-work.ts";
import type { SnapshotOutcome } from "./progress.ts";
import { openReader, type SnapshotWork } from "./snapshot-reader.ts";
import type { SyncSummary } from "./summary.ts";
import type { RunStart } from "./tonight.ts";

/**
 * That this process's node cannot help with what others read: it has pruned the version, or is not yet there. `claimedUntil` is when the
 * last of their claims runs out.
 */
export function withoutVersion(version: bigint, node: Pick<LedgerNode, "url" | "lastHead">, { claimedUntil }: AccountsLeft): MovedexError {
  const head = node.lastHead();
  const window = head === undefined ? "" : `: it reads versions ${head.oldestVersion} to ${head.ledgerVersion}`;
  const until = claimedUntil ?? 0;
  const text = `${node.url} does not have ledger version ${version}, which others read${window}. This process has taken nothing more; give it another node. The others were last heard of at ${clockTime(until - CLAIM_MS)}. If they have ended, the next run whose node has the version goes on, and one after ${clockTime(until + WAIT_MS)} UTC makes gaps of what is left.`;
  const facts = { url: node.url, version, oldest: head?.oldestVersion ?? null, newest: head?.ledgerVersion ?? null };
  return new MovedexError("MOVEDEX_WORKER_NODE", text, { facts, exit: "absent" });
}

const clockTime = (ms: number): string => new Date(ms).toISOString().slice(11, 16);

/** What came of a snapshot, sealed or left to a later run. */
export type ReadSnapshot = { readonly isSealed: boolean; readonly outcome: SnapshotOutcome };

/**
 * Reads what is left of a snapshot's plan and seals it; other processes may read it too, and the last one seals.
 * @throws NodeError when the run cannot go on, for the next to resume, or where no account of the whole plan answered;
 * MovedexError `MOVEDEX_WORKER_NODE` when this node alone has pruned the version
 */
export async function readSnapshot(work: SnapshotWork, version: bigint, isOld: boolean): Promise<ReadSnapshot> {
  const { engine, stop, clock, host } = work;
  const { accountsLeft } = claimQueries(engine, { now: clock.now });
  const reader = await openReader(work, version, isOld);
  for (;;) {
    // Before this one takes accounts of others whose claims ran out, too: they may wait for a node that still has the version.
    const before = await accountsLeft(version);
    const rest = await reader.read();
    const { isLeft, latestError } = reader.course;
    if (rest !== undefined) {
      const left = before.reserved > 0 ? before : await accountsLeft(version);
      if (left.reserved > 0 && rest.kind === "restPruned") throw withoutVersion(version, work.node, left);
      // The nodes of others may answer for theirs.
      if (left.reserved > 0) return { isSealed: false, outcome: reader.outcome() };
      const { isFinal } = rest.gap;
      for (const gap of reader.openGaps()) await gapQueries(engine).commitGap(version, { ...gap, isFinal }, clock.now());
      await gapQueries(engine).commitRest(version, rest.gap, clock.now());
    } else if (isLeft || (stop.reason !== undefined && (await leaveRest(work, version))))
      return { isSealed: false, outcome: reader.outcome() };
    const sealedBy = await sealQueries(engine).sealIfWhole(version, { now: clock.now(), by: host });
    if (sealedBy === undefined) continue;
    const isGivenUp = (await snapshotQueries(engine).findSnapshot(version))?.status === "abandoned";
    if (isGivenUp && rest === undefined && stop.reason === undefined && latestError !== undefined) throw latestError;
    return { isSealed: true, outcome: { ...reader.outcome(), ...(sealedBy === "another" && { isSealedByAnother: true }) } };
  }
}

/** Seals what was read of a snapshot whose version is pruned; its other accounts become final gaps with this message. */
export async function sealPruned(work: Pick<SnapshotWork, "engine" | "clock" | "host">, version: bigint, message: string): Promise<void> {
  const { engine, clock, host } = work;
  const now = clock.now();
  const gap = { reason: "pruned", errorCode: null, httpStatus: null, message, attempts: 0, isFinal: true };
  await gapQueries(engine).commitRest(version, gap, now);
  await sealQueries(engine).sealIfWhole(version, { now, by: host });
}

/**
 * Leaves what this run did not come to: of a plan that was chosen for the budget to other nights, of any other to the next run, or to
 * others that read it. @returns whether there is a rest
 */
async function leaveRest({ engine, clock, stop }: SnapshotWork, version: bigint): Promise<boolean> {
  const { accounts, claimed } = await claimQueries(engine, { now: clock.now }).accountsLeft(version);
  if (accounts > 0 && claimed === 0 && stop.reason === "budget") await planQueries(engine).passOverRest(version, clock.now());
  return (await snapshotQueries(engine).progress(version)).planned > 0;
}

/** What a run has asked of the node, and how long that took. */
type Cost = Pick<SyncSummary, "requests" | "retries" | "bytesReceived" | "durationMs">;

/** One run: what its steps share. */
export type Night = RunStart & {
  readonly work: SnapshotWork;
  readonly cost: ReturnType<typeof countCost>;
  /** Versions that earlier runs began to read, and this one has finished. */
  readonly finished: Set<bigint>;
  /** A summary per snapshot, the run's own last. */
  readonly summaries: SyncSummary[];
};

/** Reads what is left of a snapshot. */
export async function readSummed(night: Night, version: bigint, isResumed: boolean, isOld = false): Promise<SyncSummary> {
  return summarize(night, version, (await readSnapshot(night.work, version, isOld)).outcome, isResumed);
}

/** The summary of a snapshot whose work ends now, with the requests, bytes and time since the one before. */
export async function summarize(night: Night, version: bigint, outcome: SnapshotOutcome, isResumed: boolean): Promise<SyncSummary> {
  const { work, cost, before, summaries } = night;
  const { engine, stop, clock } = work;
  const held = await statusQueries(engine).snapshotCounts(version);
  // A sealed snapshot has accounts to read when it was extended since.
  const { planned: left, visited } = await snapshotQueries(engine).progress(version);
  const isSealed = held.status.startsWith("sealed") && left === 0;
  // Its counts are those of its seal until the next one, and gaps that are tried again are among what is left.
  const isReopened = !isSealed && held.status.startsWith("sealed");
  const accounts = held.accounts + (isReopened ? visited : 0);
  const { isSealedByAnother, ...counts } = outcome;
  const sealedBy = isSealed && isSealedByAnother ? (await snapshotQueries(engine).findSnapshot(version))?.sealedBy : undefined;
  const isOthers = !isSealed && (await claimQueries(engine, { now: clock.now }).accountsLeft(version)).claimed > 0;
  return {
    chainId: held.chainId,
    ledgerVersion: version,
    status: isSealed ? (held.status as "sealed" | "sealed_with_gaps") : "unsealed",
    accounts,
    modules: held.modules,
    changedModules: held.changedModules,
    ...counts,
    ...cost.since(),
    gaps: isReopened ? held.planned - accounts - left : held.gaps,
    digest: isSealed ? held.digest : null,
    isResumed,
    ...(before.newestSealed === undefined && summaries.every((other) => other.status === "unsealed") && { isFirst: true }),
    ...(sealedBy !== undefined && { sealedBy }),
    ...(!isSealed && { accountsLeft: left }),
    ...(isOthers && { othersGoOn: true }),
    ...(held.passedOver !== null && { passedOver: held.passedOver }),
    ...(held.unreadRecords > 0 && { unreadRecords: held.unreadRecords }),
    stoppedBy: stop.reason,
  };
}

/**
 * Divides a run's cost among its snapshots, so that their shares add up to the whole, with the requests that the run began with. Counts
 * time from now on, and requests from the node's first one on.
 */
export function countCost({ node, clock }: Pick<RunWork, "node" | "clock">) {
  const startedMs = clock.monotonic();
  let shared: Cost = { requests: 0, retries: 0, bytesReceived: 0, durationMs: 0 };
  const elapsedMs = (): number => clock.monotonic() - startedMs;
  return {
    elapsedMs,
    /** The cost since this was last asked for. */
    since: (): Cost => {
      const before = shared;
      const { requests, retries, bytesReceived } = node.stats();
      shared = { requests, retries, bytesReceived, durationMs: elapsedMs() };
      return addCost(shared, before, -1);
    },
  };
}

/** Both costs together, or the first one less the second. */
export function addCost(to: Cost, cost: Cost, sign: 1 | -1 = 1): Cost {
  return {
    requests: to.requests + sign * cost.requests,
    retries: to.retries + sign * cost.retries,
    bytesReceived: to.bytesReceived + sign * cost.bytesReceived,
    durationMs: to.durationMs + sign * cost.durationMs,
  };
}
