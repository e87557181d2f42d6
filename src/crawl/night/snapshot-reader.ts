import type { Miss, Visit } from "../../archive/content/visit-model.ts";
import { gapQueries } from "../../archive/snapshots/gaps.ts";
import { pinQueries } from "../../archive/snapshots/pins.ts";
import { visitQueries } from "../../archive/snapshots/visits.ts";
import { forEachConcurrent } from "../../base/concurrent.ts";
import type { Address } from "../../move/address.ts";
import { batchQueries, type PlannedRead } from "../../work/workers/batches.ts";
import { othersAt } from "../../work/workers/sharing.ts";
import type { RunWork } from "../run/run-work.ts";
import type { AbiWatch } from "../visit/abi-watch.ts";
import { CrawlError } from "../visit/classify-failure.ts";
import { type Doubt, recordDoubts } from "../visit/doubts.ts";
import { holdsNothing, visitAccount } from "../visit/visit-account.ts";
import { type BatchInHand, openBatches } from "./batches-in-hand.ts";
import { FailureJudge, ROUNDS } from "./failure-judge.ts";
import { countProgress, type SnapshotOutcome, type SnapshotProgress } from "./progress.ts";
import { openVisitBatch } from "./visit-batch.ts";

export type SnapshotWork = RunWork & {
  readonly report: (progress: SnapshotProgress) => void;
  readonly abiWatch?: AbiWatch;
};

/** How often one looks whether a batch that others have comes free. */
const LOOK_EVERY_MS = 500;

type Planned = PlannedRead & { readonly batch: BatchInHand };

/** Reads one snapshot: goes through its plan batch by batch, stores the answers, and records what was not answered. */
export async function openReader(work: SnapshotWork, version: bigint) {
  const { engine, sharing, node, clock, stop } = work;
  const [before, pin, others] = [
    await pinQueries(engine).progress(version),
    await pinQueries(engine).findPin(version),
    await othersAt(work, version),
  ];
  const counter = countProgress(before, clock.monotonic());
  // What others have read says nothing of this one's node, and they will try what it fails to read.
  const failures = new FailureJudge<BatchInHand>(pin?.status !== "unsealed" || (before.visited > 0 && others === 0));
  const plans = batchQueries(engine, sharing.take);
  const batches = openBatches(plans, work.log);
  const visits = openVisitBatch(visitQueries(engine, work.bytecodes), version, sharing.worker !== undefined);
  /** Visits that are being stored; reading does not wait for them. */
  const storing = new Set<Promise<void>>();
  const retriesBefore = node.stats().retries;
  /** Whether the run has no request left. */
  let isSpent = false;
  /** The failure that ends the run, met while a visit was stored. */
  let failure: { readonly error: unknown } | undefined;

  const isOver = (): boolean => stop.reason !== undefined || failures.pinPruned !== undefined || failure !== undefined;

  async function readBatches(): Promise<void> {
    try {
      await forEachConcurrent(plan(), work.concurrency, visit, isOver);
    } finally {
      while (storing.size > 0) await Promise.all(storing);
    }
    if (failure !== undefined) throw failure.error;
  }

  async function* plan(): AsyncGenerator<Planned> {
    for (let next = await batches.take(version); next !== undefined; next = await batches.take(version)) {
      const { taken: batch, accounts } = next;
      if (sharing.worker !== undefined) counter.leftByAll((await plans.batchesLeft(version)).accounts);
      if (accounts.length === 0) await batches.settle(batch, "answered");
      for (const account of accounts) {
        if (batch.isGone) break;
        yield { ...account, batch };
      }
    }
  }

  async function visit({ batch, ...account }: Planned): Promise<void> {
    if (batch.isGone) return;
    try {
      await visits.room();
      const { doubts, ...visited } = await visitAccount(work, account, version);
      await doubt(doubts, batch.round);
      failures.answered();
      // Stored while others are read.
      const stored = storeVisit(visited, batch).finally(() => storing.delete(stored));
      storing.add(stored);
    } catch (error) {
      await failed(error, account.address, batch);
      report();
    }
  }

  /** Another round asks again, since another node of the address may know better; after the last the bytes are kept as they were given. */
  async function doubt(doubts: readonly Doubt[], round: number): Promise<void> {
    const [first] = doubts;
    if (first === undefined) return;
    await recordDoubts(work, doubts, version);
    if (round < ROUNDS) throw CrawlError.doubtful(first, version);
    counter.count.doubtful += doubts.length;
  }

  async function storeVisit(visited: Visit, batch: BatchInHand): Promise<void> {
    try {
      const { newBytecodes } = await visits.commit(visited, batch.lease);
      counter.answered({ modules: visited.modules.length, newBytecodes, isEmpty: holdsNothing(visited) });
      for (const { miss, of } of failures.stored(visited.address)) await giveUp(miss, of);
      await batches.settle(batch, "answered");
    } catch (error) {
      await failed(error, visited.address, batch).catch((final: unknown) => {
        failure ??= { error: final };
      });
    }
    report();
  }

  /** Aborted by a stop, the account stays planned for the next run. */
  async function failed(error: unknown, address: Address, batch: BatchInHand): Promise<void> {
    if (batches.isLost(error, batch) || stop.signal.aborted) return;
    const judgement = failures.judge(error, address, batch.round, batch);
    if (judgement.kind === "budget") {
      isSpent = true;
      stop.request("budget");
    } else if (judgement.kind === "postponed") await batches.settle(batch, "postponed");
    else if (judgement.kind === "gap") await giveUp(judgement.miss, batch);
  }

  /** Stores that an account was not answered for. */
  async function giveUp(miss: Miss, batch: BatchInHand): Promise<void> {
    try {
      await gapQueries(engine).commitMiss(version, miss, clock.now(), batch.lease);
    } catch (error) {
      if (batches.isLost(error, batch)) return;
      throw error;
    }
    counter.givenUp(miss);
    await batches.settle(batch, "answered");
  }

  function report(): void {
    const stats = node.stats();
    const progress = counter.progress(version, clock.monotonic(), stats, node.lastHead()?.oldestVersion);
    sharing.worker?.reportCounts({
      accounts: counter.count.read,
      requests: stats.requests,
      perMinute: Math.round(progress.perSecond * 60),
    });
    work.report(progress);
  }

  return {
    failures,
    /**
     * Reads what is left of the plan, beside others that may be at work on it, until every account is answered for or the run is
     * to end. An account that fails is tried again in later rounds, then recorded as a gap with its reason.
     */
    read: async (): Promise<void> => {
      try {
        for (;;) {
          await readBatches();
          if (isOver()) return;
          const left = await plans.batchesLeft(version);
          if (left.batches <= batches.count()) return;
          // Aborted, the run is to end at once.
          await clock.sleep(left.dueInMs || LOOK_EVERY_MS, stop.signal).catch(() => {});
          if (isOver()) return;
        }
      } finally {
        await batches.giveBack();
      }
    },
    outcome: (): SnapshotOutcome => {
      const { read, newBytecodes, empty, doubtful } = counter.count;
      // A run that had no more requests had no room, whatever the node answered.
      const isUnanswered = stop.reason === "budget" && !isSpent && read === 0 && node.stats().retries > retriesBefore;
      const isLost = counter.count.isLost || failures.pinPruned !== undefined;
      return { isLost, newBytecodes, empty, ...(doubtful > 0 && { doubtful }), ...(isUnanswered && { isUnanswered }) };
    },
  };
}
