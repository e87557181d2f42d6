import type { Miss, Visit } from "../../archive/content/visit-model.ts";
import type { PlanProgress } from "../../archive/snapshots/pins.ts";
import { forEachConcurrent } from "../../base/concurrent.ts";
import type { Address } from "../../move/address.ts";
import type { PlannedRead } from "../../work/workers/batches.ts";
import type { RunWork } from "../run/run-work.ts";
import type { AbiWatch } from "../visit/abi-watch.ts";
import { CrawlError } from "../visit/crawl-error.ts";
import { type Doubt, recordDoubts } from "../visit/doubts.ts";
import { holdsNothing, visitAccount } from "../visit/visit-account.ts";
import { BatchesInHand, type BatchInHand } from "./batches-in-hand.ts";
import { FailureJudge, ROUNDS } from "./failure-judge.ts";
import { ProgressCounter, type SnapshotOutcome, type SnapshotProgress } from "./progress.ts";
import { VisitBatch } from "./visit-batch.ts";

export type SnapshotWork = RunWork & {
  readonly report: (progress: SnapshotProgress) => void;
  /** Compares the ABIs that the node prints. */
  readonly abiWatch?: AbiWatch;
};

/** How often one looks whether a batch that others have comes free. */
const LOOK_EVERY_MS = 500;

/** An account to visit, and the batch that it is of. */
type Planned = PlannedRead & { readonly batch: BatchInHand };

/** Reads one snapshot: goes through its plan batch by batch, stores the answers, and records what was not answered. */
export class SnapshotReader {
  readonly #work: SnapshotWork;
  readonly #version: bigint;
  readonly #batches: BatchesInHand;
  readonly #counter: ProgressCounter;
  readonly #visits: VisitBatch;
  readonly failures: FailureJudge<BatchInHand>;
  /** Visits that are being stored; reading does not wait for them. */
  readonly #storing = new Set<Promise<void>>();
  readonly #retriesBefore: number;
  /** Whether the run has no request left. */
  #isSpent = false;
  /** The failure that ends the run, met while a visit was stored. */
  #failure: { readonly error: unknown } | undefined;

  private constructor(work: SnapshotWork, version: bigint, progress: PlanProgress, hasAnswers: boolean) {
    this.#work = work;
    this.#version = version;
    this.#batches = new BatchesInHand(work);
    this.#visits = new VisitBatch(work.store, version);
    this.#counter = new ProgressCounter(progress, work.clock.monotonic());
    this.failures = new FailureJudge(hasAnswers);
    this.#retriesBefore = work.node.stats().retries;
  }

  static async begin(work: SnapshotWork, version: bigint): Promise<SnapshotReader> {
    const { store } = work;
    const [progress, pin, others] = [await store.progress(version), await store.findPin(version), await store.othersAt(version)];
    // What others have read says nothing of this one's node, and they will try what it fails to read.
    return new SnapshotReader(work, version, progress, pin?.status !== "unsealed" || (progress.visited > 0 && others === 0));
  }

  get outcome(): SnapshotOutcome {
    return {
      ...this.#counter.outcome(this.failures.lost !== undefined),
      ...(this.#isUnanswered && { isUnanswered: true }),
    };
  }

  /** A run that had no more requests had no room, whatever the node answered. */
  get #isUnanswered(): boolean {
    const { stop, node } = this.#work;
    return stop.reason === "budget" && !this.#isSpent && this.#counter.read === 0 && node.stats().retries > this.#retriesBefore;
  }

  /**
   * Reads what is left of the plan, beside others that may be at work on it, until every account is answered for or the run is
   * to end. An account that fails is tried again in later rounds, then recorded as a gap with its reason.
   */
  async read(): Promise<void> {
    const { store, clock, stop } = this.#work;
    try {
      for (;;) {
        await this.#readBatches();
        if (this.#isOver) return;
        const { batches, dueInMs } = await store.batchesLeft(this.#version);
        if (batches <= this.#batches.count) return;
        // Aborted, the run is to end at once.
        await clock.sleep(dueInMs || LOOK_EVERY_MS, stop.signal).catch(() => {});
        if (this.#isOver) return;
      }
    } finally {
      await this.#batches.giveBack();
    }
  }

  get #isOver(): boolean {
    return this.#work.stop.reason !== undefined || this.failures.lost !== undefined || this.#failure !== undefined;
  }

  async #readBatches(): Promise<void> {
    const visit = (planned: Planned): Promise<void> => this.#visit(planned);
    try {
      await forEachConcurrent(this.#plan(), this.#work.concurrency, visit, () => this.#isOver);
    } finally {
      while (this.#storing.size > 0) await Promise.all(this.#storing);
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async *#plan(): AsyncGenerator<Planned> {
    const { store } = this.#work;
    for (;;) {
      const next = await this.#batches.take(this.#version);
      if (next === undefined) return;
      const { taken: batch, accounts } = next;
      if (store.isShared) this.#counter.leftByAll((await store.batchesLeft(this.#version)).accounts);
      if (accounts.length === 0) await this.#batches.settle(batch, "answered");
      for (const account of accounts) {
        if (batch.isGone) break;
        yield { ...account, batch };
      }
    }
  }

  async #visit({ batch, ...account }: Planned): Promise<void> {
    if (batch.isGone) return;
    try {
      await this.#visits.room();
      const { doubts, ...visit } = await visitAccount(this.#work, account, this.#version);
      await this.#doubt(doubts, batch.round);
      this.failures.answered();
      // Stored while others are read.
      const storing = this.#store(visit, batch).finally(() => this.#storing.delete(storing));
      this.#storing.add(storing);
    } catch (error) {
      await this.#failed(error, account.address, batch);
      this.#report();
    }
  }

  /** Another round asks again, since another node of the address may know better; after the last the bytes are kept as they were given. */
  async #doubt(doubts: readonly Doubt[], round: number): Promise<void> {
    const [doubt] = doubts;
    if (doubt === undefined) return;
    await recordDoubts(this.#work, doubts, this.#version);
    if (round < ROUNDS) throw CrawlError.doubtful(doubt, this.#version);
    this.#counter.doubtful += doubts.length;
  }

  async #store(visit: Visit, batch: BatchInHand): Promise<void> {
    try {
      const { newBytecodes } = await this.#visits.commit(visit, batch.lease);
      this.#counter.answered({ modules: visit.modules.length, newBytecodes, isEmpty: holdsNothing(visit) });
      for (const { miss, of } of this.failures.stored(visit.address)) await this.#giveUp(miss, of);
      await this.#batches.settle(batch, "answered");
    } catch (error) {
      await this.#failed(error, visit.address, batch).catch((failure: unknown) => {
        this.#failure ??= { error: failure };
      });
    }
    this.#report();
  }

  /** Aborted by a stop, the account stays planned for the next run. */
  async #failed(error: unknown, address: Address, batch: BatchInHand): Promise<void> {
    if (this.#batches.isLost(error, batch) || this.#work.stop.signal.aborted) return;
    const judgement = this.failures.judge(error, address, batch.round, batch);
    if (judgement.kind === "budget") {
      this.#isSpent = true;
      this.#work.stop.request("budget");
    } else if (judgement.kind === "postponed") await this.#batches.settle(batch, "postponed");
    else if (judgement.kind === "gap") await this.#giveUp(judgement.miss, batch);
  }

  /** Stores that an account was not answered for. */
  async #giveUp(miss: Miss, batch: BatchInHand): Promise<void> {
    try {
      await this.#work.store.commitMiss(this.#version, miss, this.#work.clock.now(), batch.lease);
    } catch (error) {
      if (this.#batches.isLost(error, batch)) return;
      throw error;
    }
    this.#counter.givenUp(miss);
    await this.#batches.settle(batch, "answered");
  }

  #report(): void {
    const { clock, node, store } = this.#work;
    const stats = node.stats();
    const progress = this.#counter.progress(this.#version, clock.monotonic(), stats, node.lastHead()?.oldestVersion);
    store.reportCounts({ accounts: this.#counter.read, requests: stats.requests, perMinute: Math.round(progress.perSecond * 60) });
    this.#work.report(progress);
  }
}
