import type { Clock } from "../../base/clock.ts";
import { forEachConcurrent } from "../../base/concurrent.ts";
import type { Log } from "../../base/log.ts";
import { printable } from "../../base/printable.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import type { PlanProgress } from "../../store/snapshots/pins.ts";
import type { Miss, Visit } from "../../store/snapshots/visit-model.ts";
import type { Store } from "../../store/store.ts";
import type { AbiWatch } from "../check/abi-watch.ts";
import { classifyFailure } from "./classify-failure.ts";
import { CrawlError } from "./crawl-error.ts";
import type { SnapshotProgress } from "./progress.ts";
import { RateMeter } from "./rate-meter.ts";
import type { Stop } from "./stop.ts";
import { holdsNothing, type VisitContext, visitAccount } from "./visit.ts";
import { VisitBatch } from "./visit-batch.ts";

/** What reading a snapshot works with. */
export type SnapshotWork = {
  readonly store: Store;
  readonly node: LedgerNode;
  readonly clock: Clock;
  readonly stop: Stop;
  /** Accounts read at the same time. */
  readonly concurrency: number;
  /** Modules asked for per page; undefined leaves it to the node. */
  readonly pageSize: number | undefined;
  readonly report: (progress: SnapshotProgress) => void;
  readonly log: Log;
  /** Compares the ABIs that the node prints. */
  readonly abiWatch?: AbiWatch;
};

/** How many planned accounts are taken from the store at a time, so that memory does not grow with the plan. */
const PLAN_PAGE = 500;

/** This many answers in a row that the pin is pruned mean that no node of the address has it. */
const PRUNED_IN_A_ROW = 3;

/** This many failures in a row before any account was answered for mean that the node will answer for none. */
const HOPELESS_IN_A_ROW = 25;

/** Reads one snapshot: goes through its plan, stores the answers, and records what was not answered. */
export class SnapshotReader {
  readonly #work: SnapshotWork;
  readonly #version: bigint;
  readonly #attempts = new Map<Address, number>();
  readonly #meter = new RateMeter();
  readonly #batch: VisitBatch;
  readonly #startedMs: number;
  readonly #planned: number;
  /** Whether any account of this snapshot was answered for, now or in an earlier run. If not, the node may be at fault for all failures. */
  #hasAnswers: boolean;
  #done: number;
  #missed: number;
  #doneNow = 0;
  #modules = 0;
  #newBytecodes = 0;
  #empty = 0;
  #prunedInARow = 0;
  #failedInARow = 0;
  #postponed = 0;
  #finalMisses = 0;
  #lost: Miss | undefined;
  /** Gaps that are not written as long as no account was answered for, so that the plan stays whole if the node is at fault. */
  #withheld: Miss[] = [];
  #latestError: unknown;
  /** Visits that are being stored; reading does not wait for them. */
  readonly #storing = new Set<Promise<void>>();
  /** The failure that ends the run, met while a visit was stored. */
  #failure: { readonly error: unknown } | undefined;

  private constructor(work: SnapshotWork, version: bigint, progress: PlanProgress, isSealed: boolean) {
    this.#work = work;
    this.#version = version;
    this.#batch = new VisitBatch(
      (visits) => work.store.commitVisits(version, visits),
      (visit) => work.store.commitVisit(version, visit),
    );
    this.#startedMs = work.clock.monotonic();
    this.#planned = progress.planned + progress.visited + progress.missed;
    this.#done = progress.visited;
    this.#hasAnswers = progress.visited > 0 || isSealed;
    this.#missed = progress.missed;
  }

  /** Begins with what is left of a snapshot's plan. */
  static async begin(work: SnapshotWork, version: bigint): Promise<SnapshotReader> {
    const [progress, pin] = await Promise.all([work.store.progress(version), work.store.findPin(version)]);
    return new SnapshotReader(work, version, progress, pin?.status !== "unsealed");
  }

  /** Bytecodes that the store did not have. */
  get newBytecodes(): number {
    return this.#newBytecodes;
  }

  /** Accounts that hold nothing. */
  get empty(): number {
    return this.#empty;
  }

  /** The failure that showed the pin to be pruned; undefined while it can be read. */
  get lost(): Miss | undefined {
    return this.#lost;
  }

  /** Whether an account was pruned before it could be read. */
  get hasLost(): boolean {
    return this.#lost !== undefined || this.#finalMisses > 0;
  }

  /** The error to end with when not one account answered, in this run or an earlier one; else undefined. */
  get hopeless(): unknown {
    return !this.#hasAnswers && this.#withheld.length > 0 ? this.#latestError : undefined;
  }

  /** Reads every account that is still planned once. Returns how many deserve another round; with `isLast` these become gaps instead. */
  async round(isLast: boolean): Promise<number> {
    this.#postponed = 0;
    const { concurrency, stop } = this.#work;
    try {
      await forEachConcurrent(
        this.#plan(),
        concurrency,
        (address) => this.#visit(address, isLast),
        () => stop.reason !== undefined || this.#lost !== undefined || this.#failure !== undefined,
      );
    } finally {
      await Promise.all(this.#storing);
    }
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#postponed;
  }

  async *#plan(): AsyncGenerator<Address> {
    let after: Address | undefined;
    for (;;) {
      const page = await this.#work.store.plannedTargets(this.#version, after, PLAN_PAGE);
      yield* page;
      if (page.length < PLAN_PAGE) return;
      after = page.at(-1);
    }
  }

  async #visit(address: Address, isLast: boolean): Promise<void> {
    const { node, store, stop, pageSize, abiWatch } = this.#work;
    const context: VisitContext = {
      node,
      pageSize,
      signal: stop.signal,
      isKnown: (sha256) => store.knowsBytecode(sha256),
      compareAbi: async (digest, decoded, printed) => abiWatch?.compare(this.#version, digest, decoded, printed),
    };
    try {
      await this.#batch.room();
      const visit = await visitAccount(context, address, this.#version);
      this.#hasAnswers = true;
      this.#prunedInARow = 0;
      this.#failedInARow = 0;
      // Stored while others are read.
      const storing = this.#store(visit, isLast).finally(() => this.#storing.delete(storing));
      this.#storing.add(storing);
    } catch (error) {
      await this.#failedUnlessStopped(error, address, isLast);
      this.#report();
    }
  }

  async #store(visit: Visit, isLast: boolean): Promise<void> {
    try {
      const { newBytecodes } = await this.#batch.commit(visit);
      if (holdsNothing(visit)) this.#empty += 1;
      await this.#answered(visit.modules.length, newBytecodes);
    } catch (error) {
      await this.#failedUnlessStopped(error, visit.address, isLast).catch((failure: unknown) => {
        this.#failure ??= { error: failure };
      });
    }
    this.#report();
  }

  /** Aborted by a stop, the account stays planned for the next run. */
  async #failedUnlessStopped(error: unknown, address: Address, isLast: boolean): Promise<void> {
    if (!this.#work.stop.signal.aborted) await this.#failed(error, address, isLast);
  }

  async #answered(modules: number, newBytecodes: number): Promise<void> {
    this.#done += 1;
    this.#doneNow += 1;
    this.#modules += modules;
    this.#newBytecodes += newBytecodes;
    for (const miss of this.#withheld.splice(0)) await this.#commitMiss(miss);
  }

  async #failed(error: unknown, address: Address, isLast: boolean): Promise<void> {
    if (error instanceof CrawlError && error.isMisnamed) await this.#recordMisnamed(error, address);
    const attempts = (this.#attempts.get(address) ?? 0) + 1;
    const failure = classifyFailure(error, address, attempts);
    if (failure.kind === "budget") {
      this.#work.stop.request("budget");
      return;
    }
    this.#latestError = error;
    this.#failedInARow += 1;
    if (!this.#hasAnswers && this.#failedInARow >= HOPELESS_IN_A_ROW) throw error;
    this.#prunedInARow = failure.kind === "pruned" ? this.#prunedInARow + 1 : 0;
    if (this.#prunedInARow >= PRUNED_IN_A_ROW) {
      this.#lost = failure.miss;
      return;
    }
    // One of several nodes may have pruned the pin: another round asks again.
    if (!isLast && (failure.kind === "pruned" || failure.mayHelp)) {
      this.#attempts.set(address, attempts);
      this.#postponed += 1;
      return;
    }
    if (this.#hasAnswers) await this.#commitMiss(failure.miss);
    else this.#withheld.push(failure.miss);
  }

  /** A node that serves wrong bytes is recorded even where another attempt, or another node, gives the right ones. */
  async #recordMisnamed({ facts }: CrawlError, address: Address): Promise<void> {
    const { store, node, clock, log } = this.#work;
    const [listed, found] = [`${address}::${facts["module"]}`, String(facts["in_bytes"])];
    log("warn", `${node.url} gave the bytes of ${printable(found, 200)} as ${printable(listed, 200)}`, { ledger_version: this.#version });
    await store.addFinding(
      {
        kind: "module_name",
        subject: listed,
        fromVersion: this.#version,
        toVersion: this.#version,
        stored: listed,
        found,
        origin: node.url,
      },
      clock.now(),
    );
  }

  async #commitMiss(miss: Miss): Promise<void> {
    await this.#work.store.commitMiss(this.#version, miss, this.#work.clock.now());
    this.#missed += 1;
    if (miss.isFinal) this.#finalMisses += 1;
  }

  #report(): void {
    const { clock, node } = this.#work;
    const now = clock.monotonic();
    const stats = node.stats();
    const oldest = node.lastHead()?.oldestVersion;
    const progress: SnapshotProgress = {
      ledgerVersion: this.#version,
      planned: this.#planned,
      done: this.#done,
      missed: this.#missed,
      doneNow: this.#doneNow,
      modules: this.#modules,
      requests: stats.requests,
      retries: stats.retries,
      bytesReceived: stats.bytesReceived,
      perSecond: this.#meter.measure(now, stats.requests),
      limitPerSecond: stats.allowedPerSecond ?? undefined,
      pausedMs: stats.pausedMs,
      elapsedMs: now - this.#startedMs,
      aboveHorizon: oldest === undefined ? undefined : this.#version - oldest,
    };
    this.#work.report(progress);
  }
}
