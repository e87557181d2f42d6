import { forEachConcurrent } from "../../base/async.ts";
import { printable } from "../../base/printable.ts";
import { type Claim, claimQueries } from "../../db/archive/snapshots/claims.ts";
import { snapshotQueries } from "../../db/archive/snapshots/snapshot-queries.ts";
import { visitQueries } from "../../db/archive/snapshots/visits.ts";
import type { RunWork } from "../run/run-work.ts";
import type { Visited } from "../visit/visit-account.ts";
import { openAttempts } from "./attempts.ts";
import { claimedAccounts } from "./claimed-accounts.ts";
import { openCourse, type Rest } from "./course.ts";
import { openDecisions } from "./decisions.ts";
import { countProgress, type SnapshotOutcome, type SnapshotProgress } from "./progress.ts";
import { openQuestion } from "./question.ts";
import { openVisitBatch } from "./visit-batch.ts";

export type SnapshotWork = RunWork & { readonly report: (progress: SnapshotProgress) => void };

/** Accounts that are claimed at a time: of a file, which has one writer, many; of a server few, so that several processes end together. */
const claimedAtOnce = (host: string | undefined, concurrency: number): number => (host === undefined ? 256 : 2 * concurrency);

/** How often to look whether an account is free again that waits for another round, or that another process had. */
const LOOK_EVERY_MS = 500;

/** How often progress is reported at most: working it out for each account takes a large part of a quiet night. */
const REPORT_EVERY_MS = 100;

/** Reads one snapshot, of an earlier run or tonight's: goes through its plan, tries each account, and decides what becomes of it. */
export async function openReader(work: SnapshotWork, version: bigint, isOld: boolean) {
  const { engine, node, clock, stop } = work;
  const claims = claimQueries(engine, { now: clock.now });
  await claims.forgetClaims(version);
  const [before, found] = [await snapshotQueries(engine).progress(version), await snapshotQueries(engine).findSnapshot(version)];
  await work.bytecodes.expectAccounts(before.planned);
  const snapshot = found?.status !== "unsealed" ? "sealed" : isOld ? "earlier" : "tonight";
  const wasAnswered = before.visited > 0 || snapshot === "sealed";
  const course = openCourse(stop, { snapshot, isChosen: found?.passedOver !== undefined, wasAnswered });
  const counter = countProgress(before, clock.monotonic());
  const accounts = claimedAccounts(claims, version, clock, claimedAtOnce(work.host, work.concurrency));
  const visits = openVisitBatch(visitQueries(engine, work.bytecodes), version, engine.gatherMs);
  const ask = openQuestion(work, version, course, () => decisions.decideHeld());
  const { attempt, failed, underWay } = openAttempts({ ...work, onPage: accounts.keep }, version, course, ask);
  let reportDueMs = 0;
  const decisions = openDecisions(work, version, { course, accounts, counter, ask, failed, store });

  async function visit(claim: Claim): Promise<void> {
    // Other processes have read the accounts before it.
    if (work.host !== undefined) counter.reached(claim.position - accounts.count());
    await visits.room();
    await unlessLate(async () => decisions.take(await attempt(claim)));
    report();
  }

  async function unlessLate(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      if (!course.isLate(error)) throw error;
    });
  }

  /** Stores what was read of an account while others are read. */
  function store(visited: Visited, account: number): void {
    const stored = visits.commit(visited).then(({ newBytecodes }) => {
      counter.answered(visited, newBytecodes);
      accounts.settle(account);
      report();
    });
    stored.catch((error: unknown) => {
      if (!course.isLate(error)) course.broken ??= { error };
    });
  }

  function report(): void {
    const now = clock.monotonic();
    if (now < reportDueMs) return;
    reportDueMs = now + REPORT_EVERY_MS;
    work.report(counter.progress(version, now, node.stats(), node.lastHead()?.oldestVersion));
  }

  /** Goes through the plan, beside others that may be at work on it, until nothing is left or no other account is to be begun. */
  async function readPlan(): Promise<void> {
    for (let isAgain = false; ; isAgain = true) {
      await forEachConcurrent(accounts.walk(isAgain), work.concurrency, visit, course.isOver);
      // If the requests are spent, the run ends before it waits for the database, which may not answer any more.
      if (!course.isBudgetSpent) await visits.settled();
      // Accounts in hand now are those that are held.
      if (course.isOver() || (await claims.accountsLeft(version)).accounts <= accounts.count()) return;
      // Other processes may hold the rest as this one does: then none of them would list an account that decides.
      if (decisions.isAnyHeld() && (await ask()).shown === "fails") return;
      // If the run is aborted, it ends at once.
      await clock.sleep(LOOK_EVERY_MS, stop.signal).catch(() => {});
      if (course.isOver()) return;
      await accounts.keep();
    }
  }

  /** Asks before the run ends: accounts in hand still get time, which suffices for this request too. */
  function askAtStop(): void {
    if (stop.reason === "budget" && (underWay() > 0 || decisions.isAnyOpen())) void ask().catch(() => {});
  }

  return {
    course,
    openGaps: decisions.openGaps,
    /** Reads the plan until all of it is answered for, or the run is to end. @returns what is found for all that is left of it */
    read: async (): Promise<Rest | undefined> => {
      stop.asked.addEventListener("abort", askAtStop, { once: true });
      try {
        await readPlan();
        if (!course.isSealed && course.broken === undefined) await unlessLate(decisions.decideAll);
      } finally {
        stop.asked.removeEventListener("abort", askAtStop);
        if (course.isBudgetSpent) stop.request("budget");
        await visits.settled();
        await accounts.giveBack();
      }
      if (course.broken !== undefined) throw course.broken.error;
      return course.isSealed ? undefined : course.rest;
    },
    outcome: (): SnapshotOutcome => {
      const { answered, failed, silent, latestError, rest, isLeft } = course;
      const { newBytecodes, empty, doubtful, emptied, isLost } = counter.count;
      const last = latestError instanceof Error ? printable(latestError.message.replace(/\.$/, ""), 300) : "";
      return {
        isLost: isLost || rest?.kind === "restPruned",
        newBytecodes,
        empty,
        ...(doubtful > 0 && { doubtful }),
        ...(emptied > 0 && { emptied }),
        ...(answered === 0 && stop.reason === "budget" && { isTooSmall: true as const }),
        ...(failed > answered || isLeft ? { unread: { attempts: failed, last } } : answered === 0 && silent > 0 && { silent }),
      };
    },
  };
}
