import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { BackfillPoint } from "../../work/runs/backfill.ts";
import { type RecordCadence, recordsToRead } from "../cadence/record-cadence.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import type { Life } from "../horizon/horizon.ts";
import { pinFacts } from "../night/pin.ts";
import type { RunTotals } from "../night/run-record.ts";
import { readSnapshot, sealPruned } from "../night/snapshot.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import { type StopReason, signalExit } from "../run/stop.ts";
import type { HorizonPart } from "./backfill-points.ts";
import { announceRefusals, refusalText } from "./backfill-refusals.ts";
import {
  type Admission,
  admit,
  delaysNoOther,
  type Job,
  type Means,
  msPerRequest,
  nextJob,
  type RefusedJob,
  shouldGiveUp,
} from "./deadlines.ts";
import { nextByHalving, nextFromOldest } from "./halving.ts";
import { OpenAccounts } from "./open-accounts.ts";
import { PointRecord } from "./point-record.ts";

/** A record and one page of modules, or the page alone. */
const REQUESTS_PER_ACCOUNT = 2;
const REQUESTS_CODE_ALONE = 1;

/** So many answers of a run tell how fast the horizon rises with them. */
const FIRST_ANSWERS = 2;

type Request = {
  readonly scope: readonly Address[];
  readonly firstHead: Pick<LedgerHead, "oldestVersion">;
  /** How many versions two snapshots may be apart between which accounts are inferred. */
  readonly maxApart: bigint | undefined;
  /** Whether the ledger's pace is known, which tells how far apart that is. */
  readonly isApartKnown: boolean;
  readonly maxRequests: number | undefined;
  readonly records: RecordCadence | undefined;
  readonly reach: HorizonPart | undefined;
};

/** One run of backfill: decides what to read next, reads it, and decides again. */
export class BackfillRun {
  readonly #work: SnapshotWork;
  readonly #watch: HeadWatch;
  readonly #request: Request;
  readonly #open: OpenAccounts;
  readonly #record: PointRecord;
  readonly #isArchive: boolean;
  /** Requests for an account, at most where it has one page. */
  readonly #requestsEach: number;
  readonly #startedMs: number;
  readonly #startedRequests: number;
  #isApartKnown: boolean;
  #isOverBudget = false;
  #isAnnounced = false;

  constructor(work: SnapshotWork, watch: HeadWatch, request: Request) {
    const { scope, maxApart, records, reach } = request;
    this.#work = work;
    this.#watch = watch;
    this.#request = request;
    this.#requestsEach = records === "never" ? REQUESTS_CODE_ALONE : REQUESTS_PER_ACCOUNT;
    this.#isApartKnown = request.isApartKnown;
    this.#isArchive = reach?.part === "archive";
    this.#open = new OpenAccounts(work.store, scope, maxApart);
    this.#record = new PointRecord(work, watch, { scope, open: this.#open, isArchive: this.#isArchive });
    this.#startedMs = work.clock.monotonic();
    this.#startedRequests = work.node.stats().requests;
  }

  /** What the run has done so far. */
  totals(): RunTotals {
    const { lost, hasGaps, counts } = this.#record;
    const exit = signalExit(this.#work.stop.reason) ?? (lost.size > 0 ? "lost" : hasGaps ? "gaps" : "done");
    return { exit, ...counts };
  }

  /** Versions that were lost in this run, whole or in part. */
  get lost(): ReadonlySet<bigint> {
    return this.#record.lost;
  }

  /** Why the run ended before everything that can be read was; undefined when it did not. */
  get stoppedBy(): StopReason | undefined {
    return this.#work.stop.reason ?? (this.#isOverBudget ? "budget" : undefined);
  }

  /** Gives up what earlier runs left and the node has pruned since. With an archive beside the node nothing is lost yet. */
  async recordPruned(): Promise<void> {
    if (this.#request.reach === undefined) await this.#record.recordPruned();
  }

  /** Reads what can be saved of these versions. `learnApart` is asked once the oldest is safe, where the ledger's pace is not known yet. */
  async all(versions: ReadonlySet<bigint>, learnApart: () => Promise<bigint | undefined>): Promise<void> {
    const { store, stop } = this.#work;
    const done = new Set<bigint>();
    for (;;) {
      if (!this.#isApartKnown && done.size > 0 && stop.reason === undefined) {
        this.#isApartKnown = true;
        this.#open.inferWithin(await learnApart());
      }
      const open = (await store.backfillPoints()).filter(
        ({ version, state }) => versions.has(version) && (state !== "lost" || this.#isArchive) && !done.has(version),
      );
      const jobs: Job[] = [];
      for (const point of open) jobs.push(...(await this.#jobOf(point)));
      const admission = admit(jobs, this.means());
      // Of an archive's versions most will be inferred: what the budget leaves is known when it is spent.
      await this.#refuseAll(this.#isArchive ? admission.refused.filter(({ why }) => why !== "budget") : admission.refused);
      const job = stop.reason === undefined ? await this.#choose(jobs, admission) : undefined;
      if (job === undefined) return;
      done.add(job.version);
      const others = jobs.filter((other) => other !== job);
      await this.#read(job, others);
    }
  }

  means(): Means {
    const { clock, node, concurrency } = this.#work;
    const stats = node.stats();
    const sent = {
      requests: stats.requests - this.#startedRequests,
      elapsedMs: clock.monotonic() - this.#startedMs,
      allowedMs: stats.allowedPerSecond === null ? 0 : 1000 / stats.allowedPerSecond,
    };
    const forecast = this.#watch.forecast();
    const now = clock.now();
    return {
      msPerRequest: msPerRequest(sent, concurrency),
      budget: Math.max(0, (this.#request.maxRequests ?? Number.POSITIVE_INFINITY) - stats.requests),
      leftMs: (version) => forecast?.leftMs(version, now),
    };
  }

  /** The work left at a version; none when every account is observed or inferred there, which is recorded. */
  async #jobOf({ version }: BackfillPoint): Promise<Job[]> {
    const { store } = this.#work;
    const left = (await store.progress(version)).planned;
    const accounts = left > 0 ? left : (await this.#open.at(version)).length;
    const pin = await store.findPin(version);
    const isSettled = accounts === 0 || (pin?.status === "sealed_with_gaps" && left === 0);
    if (!isSettled || (pin?.status === "unsealed" && left === 0))
      return [{ version, requests: Math.max(1, accounts) * this.#requestsEach }];
    await this.#record.settle(version);
    return [];
  }

  /**
   * The next job, by deadline. One exception: once a snapshot exists below the oldest and deadlines are known, it is the job that lets
   * most of the versions in danger be inferred, if it makes no other job late. Inferring needs snapshots on both sides.
   */
  async #choose(jobs: readonly Job[], { order, refused }: Admission): Promise<Job | undefined> {
    const hopeless = new Set(refused.flatMap(({ job, why }) => (why === "budget" ? [] : [job])));
    const able = jobs.filter((job) => !hopeless.has(job));
    const versions = able.map(({ version }) => version);
    const [first] = versions;
    const means = this.means();
    if (this.#isArchive && first !== undefined) {
      const next = nextByHalving(versions, await this.#work.store.sealedVersions());
      this.#isOverBudget = means.budget <= 0;
      return this.#isOverBudget ? undefined : able.find(({ version }) => version === next);
    }
    const leftMs = (version: bigint): Life | undefined => means.leftMs(version) ?? this.#lifeByAnswers(version, means);
    if (first !== undefined && leftMs(first) !== undefined) {
      const next = nextFromOldest(versions, await this.#work.store.sealedVersions(), this.#open.maxApart);
      const job = able.find(({ version }) => version === next) as Job;
      if (delaysNoOther(job, order, { ...means, leftMs })) return job;
    }
    return nextJob(jobs, means);
  }

  /**
   * How long a version stays readable, by the horizon in this run's own answers. It serves for the first minute, when samples are too close
   * together. It is good enough for an order, but gives up no version. Undefined before the first answers: then the oldest version is read,
   * which is safe at any pace.
   */
  #lifeByAnswers(version: bigint, { msPerRequest }: Means): Life | undefined {
    const head = this.#watch.head;
    const { requests } = this.#work.node.stats();
    if (head === undefined || requests < FIRST_ANSWERS) return undefined;
    const risen = Number(head.oldestVersion - this.#request.firstHead.oldestVersion);
    const above = Number(version - head.oldestVersion) + 1;
    const expected = above <= 0 ? 0 : risen <= 0 ? Number.POSITIVE_INFINITY : (above / risen) * requests * msPerRequest;
    return { best: expected, expected, worst: expected };
  }

  async #read(job: Job, others: readonly Job[]): Promise<void> {
    const { version } = job;
    const { store, clock, node, log } = this.#work;
    const head = this.#watch.head ?? node.lastHead();
    const pin = await store.findPin(version);
    if (head === undefined) return;
    const accounts = pin?.status === "unsealed" ? [] : await this.#open.at(version);
    const records = await recordsToRead(store, this.#request.records, head, version);
    await store.withLease("plan", async (turn) => {
      const held = await turn.findPin(version);
      if (held === undefined || held.status === "abandoned")
        await turn.createPin({ ...pinFacts(head), ledgerVersion: version, records, now: clock.now() }, accounts);
      else if (held.status !== "unsealed") await turn.extendPin(version, accounts, records);
      else if ((await store.othersAt(version)) === 0) await turn.retryMisses(version, records);
    });
    if (this.#isArchive) await store.recordNodeSource(node.url, version, (await store.progress(version)).planned, clock.now());
    const run = this.#work.stop;
    let isVain = false;
    // What ends the run ends the snapshot. In vain, the snapshot alone ends: no further account is begun, those under way are finished.
    const stop: SnapshotWork["stop"] = {
      get reason() {
        return run.reason ?? (isVain ? "budget" : undefined);
      },
      signal: run.signal,
      request: (reason) => run.request(reason),
      isTimeOver: (error) => run.isTimeOver(error),
    };
    const report: SnapshotWork["report"] = (progress) => {
      this.#work.report(progress);
      const left = { version, requests: (progress.planned - progress.done - progress.missed) * this.#requestsEach };
      if (shouldGiveUp(left, others, this.means())) isVain = true;
    };
    const { isSealed, outcome } = await readSnapshot({ ...this.#work, stop, report }, version);
    const { isLost, newBytecodes } = outcome;
    this.#record.counts.newBytecodes += newBytecodes;
    const isGivenUp = isVain && run.reason === undefined;
    if (!isSealed && !isGivenUp) return;
    if (isLost || isGivenUp)
      log("warn", `the horizon overtook ledger version ${version} while it was read; sealing what was read`, { ledger_version: version });
    const message = `ledger version ${version} was about to be pruned, and its accounts could not all be read in time`;
    if (!isSealed) await sealPruned(this.#work, version, message);
    await this.#record.finish(version, isLost || isGivenUp);
  }

  /** Records the versions that are not accepted, and reports those of the first decision. */
  async #refuseAll(refused: readonly RefusedJob[]): Promise<void> {
    const means = this.means();
    this.#isOverBudget = refused.some(({ why }) => why === "budget");
    for (const refusal of refused) {
      if (refusal.why === "pruned") await this.#record.forget(refusal.job.version);
      else await this.#record.refuse(refusal.job.version, refusalText(refusal, means));
    }
    if (!this.#isAnnounced) announceRefusals(refused, this.#work.log);
    this.#isAnnounced = true;
  }
}
