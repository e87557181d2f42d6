import { forEachConcurrent } from "../../base/async.ts";
import { CLAIMS_MAX, type Claim, claimQueries } from "../../db/archive/snapshots/claims.ts";
import type { Gap } from "../../db/archive/snapshots/gaps.ts";
import { gapQueries } from "../../db/archive/snapshots/gaps.ts";
import { snapshotQueries } from "../../db/archive/snapshots/snapshot-queries.ts";
import type { Visit } from "../../db/archive/snapshots/visits.ts";
import { visitQueries } from "../../db/archive/snapshots/visits.ts";
import { StoreError } from "../../db/engine/errors.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import type { RunWork } from "../run/run-work.ts";
import type { AbiWatch } from "../visit/abi-watch.ts";
import { CrawlError, type Doubt, recordDoubts } from "../visit/classify-failure.ts";
import { holdsNothing, requireIndex, visitAccount } from "../visit/visit-account.ts";
import { claimedAccounts } from "./claimed-accounts.ts";
import { FailureJudge } from "./failure-judge.ts";
import { countProgress, type SnapshotOutcome, type SnapshotProgress } from "./progress.ts";
import { openVisitBatch } from "./visit-batch.ts";

export type SnapshotWork = RunWork & {
  readonly report: (progress: SnapshotProgress) => void;
  readonly abiWatch?: AbiWatch;
};

/** How often progress is told at most. */
const REPORT_EVERY_MS = 100;

/** Accounts that are claimed at a time: of a file, which has one writer, many; of a server few, so that several processes end together. */
const claimedAtOnce = (host: string | undefined, concurrency: number): number => (host === undefined ? 256 : 2 * concurrency);

/** How often one looks whether an account that waits, or that others have, comes free. */
const LOOK_EVERY_MS = 500;

/** At most this many visits without modules wait for one that has some. Waiting costs no request; asking for 0x1 does. */
const UNPROVEN_MAX = 4;

/** What is said of an account that no process could read to its end. */
const UNREAD = {
  reason: "unread",
  errorCode: null,
  httpStatus: null,
  message: `${CLAIMS_MAX} times a process that read the account ended without a word of it, or was silent for a minute`,
  attempts: CLAIMS_MAX,
  isFinal: false,
};

/** Reads one snapshot, of an earlier run or tonight's: goes through its plan, stores the answers, and records what was not answered. */
export async function openReader(work: SnapshotWork, version: bigint, isOld: boolean) {
  const { engine, node, clock, stop } = work;
  const claims = claimQueries(engine, { now: clock.now });
  await claims.forgetClaims(version);
  const [before, snapshot] = [await snapshotQueries(engine).progress(version), await snapshotQueries(engine).findSnapshot(version)];
  const isShared = (await claims.accountsLeft(version)).claimed > 0;
  const counter = countProgress(before, clock.monotonic());
  // What others have read says nothing of this one's node, and they will try what it fails to read.
  const hasAnswers = snapshot?.status !== "unsealed" || (before.visited > 0 && !isShared);
  const failures = new FailureJudge(hasAnswers, isOld, snapshot?.passedOver !== undefined && !isShared);
  const accounts = claimedAccounts(claims, version, clock, claimedAtOnce(work.host, work.concurrency));
  const reading = { ...work, onPage: accounts.keep };
  const visits = openVisitBatch(visitQueries(engine, work.bytecodes), version, engine.gatherMs);
  /** Visits without modules are not kept before the node has listed any at this version: one without an index lists none. */
  const unproven: { readonly visited: Visit; readonly claim: Claim }[] = [];
  /** The question for that, which all that meet nothing at the same time wait for. */
  let proof: Promise<void> | undefined;
  /** Visits that are being stored; reading does not wait for them. */
  const storing = new Set<Promise<void>>();
  /** Whether another process has sealed the snapshot: what this one still reads of it was read by others. */
  let isSealed = false;
  let reportDueMs = 0;
  /** The failure that ends the run, met while a visit was stored. */
  let failure: { readonly error: unknown } | undefined;

  const isOver = (): boolean => stop.reason !== undefined || failures.ofRest !== undefined || isSealed || failure !== undefined;

  async function readFree(again: boolean): Promise<void> {
    try {
      await forEachConcurrent(accounts.walk(again), work.concurrency, visit, isOver);
      if (unproven.length > 0 && !isOver()) await proveRest();
    } finally {
      visits.flush();
      while (storing.size > 0) await Promise.all(storing);
    }
    if (failure !== undefined) throw failure.error;
  }

  async function visit(claim: Claim): Promise<void> {
    // Others have read what comes before it.
    if (work.host !== undefined) counter.reached(claim.position - accounts.count());
    if (claim.claims > CLAIMS_MAX) return giveUp({ ...UNREAD, address: claim.address }, claim);
    try {
      await visits.room();
      const { doubts, ...visited } = await visitAccount(reading, claim, version);
      if (visited.modules.length === 0) {
        if (claim.modulesBefore > 0 || unproven.length >= UNPROVEN_MAX) await prove();
        if (claim.modulesBefore > 0) throw CrawlError.emptied(claim, version);
      }
      await doubt(doubts, claim.claims);
      unproven.push({ visited, claim });
      failures.isProven ||= node.hasListed(version);
      if (failures.isProven) keepVisits();
    } catch (error) {
      await failed(error, claim);
      report();
    }
  }

  /** @throws CrawlError, NodeError where the node does not show that it lists modules at the version */
  async function prove(): Promise<void> {
    if (failures.isProven) return;
    proof ??= requireIndex(work, version).catch((error: unknown) => {
      if (!(error instanceof CrawlError)) proof = undefined;
      throw error;
    });
    await proof;
    failures.isProven = true;
  }

  /** Of accounts without modules alone, once all have been asked for. */
  async function proveRest(): Promise<void> {
    try {
      await prove();
      keepVisits();
    } catch (error) {
      for (const { claim } of unproven.splice(0)) await failed(error, claim);
    }
  }

  function keepVisits(): void {
    for (const { visited, claim } of unproven.splice(0)) {
      failures.answered();
      // Stored while others are read.
      const stored = storeVisit(visited, claim).finally(() => storing.delete(stored));
      storing.add(stored);
    }
  }

  /** Another round asks again, since another node of the address may know better; after the last the bytes are kept as they were given. */
  async function doubt(doubts: readonly Doubt[], round: number): Promise<void> {
    const [first] = doubts;
    if (first === undefined) return;
    await recordDoubts(work, doubts, version);
    if (round < CLAIMS_MAX) throw CrawlError.doubtful(first, version);
    counter.count.doubtful += doubts.length;
  }

  async function storeVisit(visited: Visit, claim: Claim): Promise<void> {
    try {
      const { newBytecodes } = await visits.commit(visited);
      counter.answered({ modules: visited.modules.length, newBytecodes, isEmpty: holdsNothing(visited) });
      for (const pending of failures.stored(claim)) await giveUp(pending.gap, pending.claim);
      accounts.settle(claim.account);
    } catch (error) {
      await failed(error, claim).catch((final: unknown) => {
        failure ??= { error: final };
      });
    }
    report();
  }

  /** Aborted by a stop, the account stays planned for the next run. */
  async function failed(error: unknown, claim: Claim): Promise<void> {
    const unproven = failures.isInDoubt ? await prove().catch((caught: unknown) => caught) : undefined;
    if (isLate(error) || stop.signal.aborted) return;
    // A budget that ends with this question says nothing of what was to be read.
    const isSpent = unproven instanceof NodeError && unproven.kind === "budget_spent";
    const judgement = failures.judge(isSpent ? unproven : error, claim);
    if (judgement.kind === "budget") {
      // It was sent, and failed.
      if (!(error instanceof NodeError) || error.facts["attempts"] !== 0) accounts.leaveUnanswered(claim.account);
      stop.request("budget");
    } else if (judgement.kind === "postponed") await accounts.postpone(claim.account);
    else if (judgement.kind === "gap") await giveUp(judgement.gap, claim);
  }

  /** Stores that an account was not answered for. */
  async function giveUp(gap: Gap, claim: Claim): Promise<void> {
    try {
      await gapQueries(engine).commitGap(version, gap, clock.now());
    } catch (error) {
      if (isLate(error)) return;
      throw error;
    }
    counter.givenUp(gap);
    accounts.settle(claim.account);
  }

  /** Whether an error says that the snapshot is sealed, so that nothing more is stored of it. */
  function isLate(error: unknown): boolean {
    isSealed ||= error instanceof StoreError && error.code === "MOVEDEX_STORE_PIN";
    return isSealed;
  }

  function report(): void {
    const now = clock.monotonic();
    if (now < reportDueMs) return;
    reportDueMs = now + REPORT_EVERY_MS;
    work.report(counter.progress(version, now, node.stats(), node.lastHead()?.oldestVersion));
  }

  return {
    failures,
    /**
     * Reads what is left of the plan, beside others that may be at work on it, until every account is answered for or the run is
     * to end. An account that fails is tried again in later rounds, then recorded as a gap with its reason.
     */
    read: async (): Promise<void> => {
      try {
        for (let again = false; ; again = true) {
          await readFree(again);
          if (isOver()) return;
          // What is still in hand then is withheld until an account was answered for.
          if ((await claims.accountsLeft(version)).accounts <= accounts.count()) return;
          // Aborted, the run is to end at once.
          await clock.sleep(LOOK_EVERY_MS, stop.signal).catch(() => {});
          if (isOver()) return;
          await accounts.keep();
        }
      } finally {
        await accounts.giveBack();
      }
    },
    outcome: (): SnapshotOutcome => {
      const { newBytecodes, empty, doubtful, emptied } = counter.count;
      const isLost = counter.count.isLost || failures.ofRest?.isFinal === true;
      const { unread } = failures;
      const doubts = { ...(doubtful > 0 && { doubtful }), ...(emptied > 0 && { emptied }) };
      return { isLost, newBytecodes, empty, ...doubts, ...(unread !== undefined && { unread }) };
    },
  };
}
