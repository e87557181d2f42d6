import { printable } from "../../base/printable.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { Address } from "../../move/address.ts";
import type { BackfillPoint, PointState } from "../../store/work/backfill.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import { pinFacts } from "../night/pin.ts";
import type { RunTotals } from "../night/run-record.ts";
import { readSnapshot, sealPruned } from "../night/snapshot.ts";
import type { StopReason } from "../night/stop.ts";
import type { SyncWork } from "../night/sync.ts";
import { announceRefusals, refusalWords } from "./backfill-refusals.ts";
import { type Admission, admit, delaysNoOther, isInVain, type Job, type Means, nextJob, type Refusal } from "./deadlines.ts";
import { nextByHalving } from "./halving.ts";
import { OpenAccounts } from "./open-accounts.ts";
import type { Reach } from "./reach.ts";
import { msPerRequest } from "./request-time.ts";
import { YieldingStop } from "./yielding-stop.ts";

/** A record and one page of modules. */
const REQUESTS_PER_ACCOUNT = 2;

/** After this long, two answers tell how fast the horizon rises. */
const PACE_MS = 60_000;

/** One run of backfill: decides what to read next, reads it, and decides again. */
export class BackfillRun {
  readonly #work: SyncWork;
  readonly #watch: HeadWatch;
  readonly #scope: readonly Address[];
  readonly #open: OpenAccounts;
  readonly #maxRequests: number;
  readonly #startedMs: number;
  readonly #startedRequests: number;
  readonly #reach: Reach | undefined;
  readonly #counts = { ledgerVersion: null as bigint | null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 };
  readonly #lost = new Set<bigint>();
  #hasGaps = false;
  #isOverBudget = false;
  #isAnnounced = false;

  constructor(
    work: SyncWork,
    watch: HeadWatch,
    request: {
      readonly scope: readonly Address[];
      readonly maxApart: bigint | undefined;
      readonly maxRequests: number | undefined;
      readonly reach: Reach | undefined;
    },
  ) {
    const { scope, maxApart, maxRequests, reach } = request;
    this.#reach = reach;
    this.#work = work;
    this.#watch = watch;
    this.#scope = scope;
    this.#open = new OpenAccounts(work.store, scope, maxApart);
    this.#maxRequests = maxRequests ?? Number.POSITIVE_INFINITY;
    this.#startedMs = work.clock.monotonic();
    this.#startedRequests = work.node.stats().requests;
  }

  /** What the run has done so far. */
  totals(): RunTotals {
    const { reason } = this.#work.stop;
    const exit: ExitName =
      reason === "SIGINT"
        ? "interrupted"
        : reason === "SIGTERM"
          ? "terminated"
          : this.#lost.size > 0
            ? "lost"
            : this.#hasGaps
              ? "gaps"
              : "done";
    return { exit, ...this.#counts };
  }

  /** Versions that were lost in this run, whole or in part. */
  get lost(): ReadonlySet<bigint> {
    return this.#lost;
  }

  /** Why the run ended before everything that can be read was; undefined when it did not. */
  get stoppedBy(): StopReason | undefined {
    return this.#work.stop.reason ?? (this.#isOverBudget ? "budget" : undefined);
  }

  /** Reads what can be saved of these versions. */
  async all(versions: ReadonlySet<bigint>): Promise<void> {
    const { store, stop } = this.#work;
    // With an archive beside the node nothing is lost yet.
    if (this.#reach === undefined) await this.#recordPruned();
    const done = new Set<bigint>();
    for (;;) {
      const open = (await store.backfillPoints()).filter(
        ({ version, state }) => versions.has(version) && (state !== "lost" || this.#isArchive) && !done.has(version),
      );
      const jobs: Job[] = [];
      for (const point of open) jobs.push(...(await this.#jobOf(point)));
      const admission = admit(jobs, this.means());
      // Of an archive's versions most will be inferred: what the budget leaves is known when it is spent.
      await this.#record(this.#isArchive ? admission.refused.filter(({ why }) => why !== "budget") : admission.refused);
      const job = stop.reason === undefined ? await this.#choose(jobs, admission) : undefined;
      if (job === undefined) return;
      done.add(job.version);
      await this.#read(
        job,
        jobs.filter((other) => other !== job),
      );
    }
  }

  /** Versions that earlier runs left to later ones, and that every node has pruned since: they are lost, whatever this run is asked for. */
  async #recordPruned(): Promise<void> {
    const lowest = this.#watch.forecast()?.lowest;
    if (lowest === undefined) return;
    const left = (await this.#work.store.backfillPoints()).filter(({ version, state }) => version < lowest && isLeft(state));
    for (const { version } of left) await this.#forget({ version, requests: 0 });
    if (left.length === 0) return;
    const words = `${left.length} of the versions that earlier runs left were pruned since: ${left.map(({ version }) => version).join(", ")}`;
    this.#work.log("warn", printable(words, 500), { pruned_since: left.length });
  }

  get #isArchive(): boolean {
    return this.#reach?.part === "archive";
  }

  /** The means of the run from now on. */
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
      budget: Math.max(0, this.#maxRequests - stats.requests),
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
      return [{ version, requests: Math.max(1, accounts) * REQUESTS_PER_ACCOUNT }];
    await this.#settle(version);
    return [];
  }

  /** Records the state of a version by what is sealed, so that a run that died before this point ends with the same record. */
  async #settle(version: bigint): Promise<void> {
    const { store, clock } = this.#work;
    const status = (await store.findPin(version))?.status;
    const read = status?.startsWith("sealed") ? (await store.snapshotCounts(version)).accounts : 0;
    const open = (await this.#open.at(version)).length;
    const state = status === "sealed_with_gaps" ? "gaps" : read > 0 ? "observed" : "inferred";
    await store.decidePoint(
      version,
      { state, reason: null, accountsRead: read, accountsInferred: Math.max(0, this.#scope.length - read - open) },
      clock.now(),
    );
  }

  /**
   * The next job: by deadline. But once there is a snapshot below the oldest, the newest comes first where that makes no other
   * late: only with snapshots on both sides can accounts between them be inferred.
   */
  async #choose(jobs: readonly Job[], { order, refused }: Admission): Promise<Job | undefined> {
    const hopeless = new Set(refused.flatMap(({ job, why }) => (why === "budget" ? [] : [job])));
    const able = jobs.filter((job) => !hopeless.has(job));
    const [first, last] = [able[0], able.at(-1)];
    if (this.#isArchive && first !== undefined) {
      const next = nextByHalving(
        able.map(({ version }) => version),
        await this.#work.store.sealedVersions(),
      );
      this.#isOverBudget = this.means().budget <= 0;
      return this.#isOverBudget ? undefined : able.find(({ version }) => version === next);
    }
    if (first !== undefined && last !== undefined && able.length > 2) {
      const sealed = await this.#work.store.sealedVersions();
      const isLeftSafe = sealed.some((version) => version < first.version);
      const isRightSafe = sealed.some((version) => version > last.version);
      const isPlannable = this.#isPaceKnown(first) || this.#workMs(order) <= PACE_MS;
      if (isLeftSafe && !isRightSafe && isPlannable && delaysNoOther(last, order, this.means())) return last;
    }
    return nextJob(jobs, this.means());
  }

  /**
   * Whether versions have deadlines. Until two answers a minute apart tell how fast the horizon rises, none has, and reading
   * the newest end early would seem to delay nothing: so longer work continues with the oldest end meanwhile, which is safe at
   * any pace, and costs at most what is read in that minute.
   */
  #isPaceKnown({ version }: Job): boolean {
    return this.means().leftMs(version) !== undefined;
  }

  #workMs(order: readonly Job[]): number {
    return order.reduce((sum, { requests }) => sum + requests, 0) * this.means().msPerRequest;
  }

  async #read(job: Job, others: readonly Job[]): Promise<void> {
    const { version } = job;
    const { store, clock, node, log } = this.#work;
    const head = this.#watch.head ?? node.lastHead();
    const pin = await store.findPin(version);
    if (head === undefined) return;
    if (pin === undefined || pin.status === "abandoned") {
      await store.createPin({ ...pinFacts(head), ledgerVersion: version, now: clock.now() }, await this.#open.at(version));
    } else if (pin.status === "unsealed") await store.retryMisses(version);
    else await store.extendPin(version, await this.#open.at(version));
    if (this.#isArchive) await store.recordNodeSource(node.url, version, (await store.progress(version)).planned, clock.now());
    const stop = new YieldingStop(this.#work.stop, clock);
    const report: SyncWork["report"] = (progress) => {
      this.#work.report(progress);
      const left = { version, requests: (progress.planned - progress.done - progress.missed) * REQUESTS_PER_ACCOUNT };
      if (isInVain(left, others, this.means())) stop.giveUp();
    };
    const { seal, isLost, newBytecodes } = await readSnapshot({ ...this.#work, stop, report }, version);
    this.#counts.newBytecodes += newBytecodes;
    if (seal === undefined && !stop.isGivenUp) return;
    if (isLost || stop.isGivenUp)
      log("warn", `the horizon overtook ledger version ${version} while it was read; sealing what was read`, { ledger_version: version });
    if (stop.isGivenUp && seal === undefined) {
      await sealPruned(
        this.#work,
        version,
        `ledger version ${version} was about to be pruned, and its accounts could not all be read in time`,
      );
    }
    await this.#finish(version, isLost || stop.isGivenUp);
  }

  async #finish(version: bigint, isLost: boolean): Promise<void> {
    this.#open.forget();
    const counts = await this.#work.store.snapshotCounts(version);
    if (counts.status === "abandoned") {
      await this.#lose(version, "pruned before any account was read");
      return;
    }
    if (this.#isArchive) await this.#work.store.recordNodeSource(this.#work.node.url, version, counts.accounts, this.#work.clock.now());
    await this.#settle(version);
    this.#counts.ledgerVersion = version;
    this.#counts.accounts += counts.accounts;
    this.#counts.modules += counts.modules;
    this.#counts.gaps += counts.gaps;
    if (isLost) this.#lost.add(version);
    this.#hasGaps ||= counts.gaps > 0;
  }

  /** Records the versions that are not accepted, and reports those of the first decision. */
  async #record(refused: readonly Refusal[]): Promise<void> {
    const means = this.means();
    this.#isOverBudget = refused.some(({ why }) => why === "budget");
    for (const refusal of refused) {
      if (refusal.why === "pruned") await this.#forget(refusal.job);
      else await this.#refuse(refusal.job.version, refusalWords(refusal, means));
    }
    if (!this.#isAnnounced) announceRefusals(refused, this.#work.log);
    this.#isAnnounced = true;
  }

  async #refuse(version: bigint, reason: string): Promise<void> {
    const { store, clock } = this.#work;
    await store.decidePoint(version, { state: "refused", reason, accountsRead: 0, accountsInferred: 0 }, clock.now());
  }

  /** Seals what was read of a pruned version; the rest is lost. */
  async #forget({ version }: Job): Promise<void> {
    const { store } = this.#work;
    const forecast = this.#watch.forecast();
    if (forecast !== undefined && version >= forecast.lowest) {
      await this.#refuse(version, "some of the nodes behind the address have pruned it, others have not");
      return;
    }
    const oldest = forecast?.oldest ?? "unknown";
    const status = (await store.findPin(version))?.status;
    if ((await store.progress(version)).planned > 0) {
      await sealPruned(
        this.#work,
        version,
        `ledger version ${version} was pruned before the account was read; the node's oldest is ${oldest}`,
      );
    }
    if (status === undefined || status === "abandoned")
      await this.#lose(version, `pruned before it was read: the node's oldest version is ${oldest}`);
    else await this.#finish(version, status === "unsealed");
  }

  async #lose(version: bigint, reason: string): Promise<void> {
    await this.#work.store.decidePoint(version, { state: "lost", reason, accountsRead: 0, accountsInferred: 0 }, this.#work.clock.now());
    this.#lost.add(version);
  }
}

/** Whether a version is left to a later run. */
function isLeft(state: PointState): boolean {
  return state === "planned" || state === "refused";
}
