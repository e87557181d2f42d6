import { sourceQueries } from "../../archive/nodes/sources.ts";
import { pinQueries, readSealedVersions } from "../../archive/snapshots/pins.ts";
import { planAlone } from "../../archive/snapshots/plan.ts";
import { planQueries } from "../../archive/snapshots/plan-queries.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { type BackfillPoint, backfillQueries } from "../../work/runs/backfill.ts";
import type { HeadWatch } from "../horizon/head-watch.ts";
import type { Estimate } from "../horizon/horizon-forecast.ts";
import { pinFacts } from "../night/pin.ts";
import type { RunTotals } from "../night/run-record.ts";
import { readSnapshot, sealPruned } from "../night/snapshot.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import { type StopReason, signalExit } from "../run/stop.ts";
import { type RecordCadence, recordsToRead, requestsEach } from "../targets/record-cadence.ts";
import type { HorizonPart } from "./backfill-points.ts";
import { type Admission, admit, delaysNoOther, type Job, type Means, msPerRequest, nextJob, shouldGiveUp } from "./deadlines.ts";
import { nextByHalving, nextFromOldest } from "./halving.ts";
import { rememberOpen } from "./open-accounts.ts";
import { openPointRecord } from "./point-record.ts";

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
export function openBackfill(work: SnapshotWork, watch: HeadWatch, request: Request) {
  const { engine, node, clock, stop, log } = work;
  const { scope, firstHead, maxApart, maxRequests = Number.POSITIVE_INFINITY, records, reach } = request;
  const each = requestsEach(records);
  const isArchive = reach?.part === "archive";
  const open = rememberOpen(engine, scope, maxApart);
  const record = openPointRecord(work, watch, { scope, open, isArchive });
  const startedMs = clock.monotonic();
  const startedRequests = node.stats().requests;
  let isApartKnown = request.isApartKnown;
  let isOverBudget = false;

  function currentMeans(): Means {
    const { requests, allowedPerSecond } = node.stats();
    const allowedMs = allowedPerSecond === null ? 0 : 1000 / allowedPerSecond;
    const sent = { requests: requests - startedRequests, elapsedMs: clock.monotonic() - startedMs, allowedMs };
    const forecast = watch.forecast();
    const now = clock.now();
    return {
      msPerRequest: msPerRequest(sent, work.concurrency),
      budget: Math.max(0, maxRequests - requests),
      leftMs: (version) => forecast?.leftMs(version, now),
    };
  }

  /** The work left at a version; none when every account is observed or inferred there, which is recorded. */
  async function jobOf({ version }: BackfillPoint): Promise<Job[]> {
    const left = (await pinQueries(engine).progress(version)).planned;
    const accounts = left > 0 ? left : (await open.at(version)).length;
    const pin = await pinQueries(engine).findPin(version);
    const isSettled = accounts === 0 || (pin?.status === "sealed_with_gaps" && left === 0);
    if (!isSettled || (pin?.status === "unsealed" && left === 0)) return [{ version, requests: Math.max(1, accounts) * each }];
    await record.settle(version);
    return [];
  }

  /**
   * The next job, by deadline. One exception: once a snapshot exists below the oldest and deadlines are known, it is the job that lets
   * most of the versions in danger be inferred, if it makes no other job late. Inferring needs snapshots on both sides.
   */
  async function choose(jobs: readonly Job[], { order, refused }: Admission): Promise<Job | undefined> {
    const hopeless = new Set(refused.flatMap(({ job, why }) => (why === "budget" ? [] : [job])));
    const able = jobs.filter((job) => !hopeless.has(job));
    const versions = able.map(({ version }) => version);
    const [first] = versions;
    const means = currentMeans();
    if (isArchive && first !== undefined) {
      const next = nextByHalving(versions, await readSealedVersions(engine));
      isOverBudget = means.budget <= 0;
      return isOverBudget ? undefined : able.find(({ version }) => version === next);
    }
    const leftMs = (version: bigint): Estimate<number> | undefined => means.leftMs(version) ?? lifeByAnswers(version, means);
    if (first !== undefined && leftMs(first) !== undefined) {
      const next = nextFromOldest(versions, await readSealedVersions(engine), open.maxApart());
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
  function lifeByAnswers(version: bigint, { msPerRequest }: Means): Estimate<number> | undefined {
    const head = node.lastHead();
    const { requests } = node.stats();
    if (head === undefined || requests < FIRST_ANSWERS) return undefined;
    const risen = Number(head.oldestVersion - firstHead.oldestVersion);
    const above = Number(version - head.oldestVersion) + 1;
    const expected = above <= 0 ? 0 : risen <= 0 ? Number.POSITIVE_INFINITY : (above / risen) * requests * msPerRequest;
    return { expected, worst: expected };
  }

  async function read({ version }: Job, others: readonly Job[]): Promise<void> {
    const head = node.lastHead();
    const pin = await pinQueries(engine).findPin(version);
    if (head === undefined) return;
    const accounts = pin?.status === "unsealed" ? [] : await open.at(version);
    const planned = await recordsToRead(engine, records, head, version);
    await planAlone(engine, async (inside) => {
      const held = await pinQueries(inside).findPin(version);
      if (held === undefined || held.status === "abandoned")
        await pinQueries(inside).createPin({ ...pinFacts(head), ledgerVersion: version, records: planned, now: clock.now() }, accounts);
      else if (held.status === "unsealed") await planQueries(inside).retryMisses(version, planned);
      else await planQueries(inside).extendPin(version, accounts, planned);
    });
    if (isArchive)
      await sourceQueries(engine).recordNodeSource(node.url, version, (await pinQueries(engine).progress(version)).planned, clock.now());
    let isVain = false;
    // What ends the run ends the snapshot. In vain, the snapshot alone ends: no further account is begun, those under way are finished.
    const stopOrVain: SnapshotWork["stop"] = {
      ...stop,
      get reason() {
        return stop.reason ?? (isVain ? "budget" : undefined);
      },
    };
    const report: SnapshotWork["report"] = (progress) => {
      work.report(progress);
      const left = { version, requests: (progress.planned - progress.done - progress.missed) * each };
      if (shouldGiveUp(left, others, currentMeans())) isVain = true;
    };
    const { isSealed, outcome } = await readSnapshot({ ...work, stop: stopOrVain, report }, version);
    record.counts.newBytecodes += outcome.newBytecodes;
    const isGivenUp = isVain && stop.reason === undefined;
    if (!isSealed && !isGivenUp) return;
    const isLost = outcome.isLost || isGivenUp;
    if (isLost)
      log("warn", `the horizon overtook ledger version ${version} while it was read; sealing what was read`, { ledger_version: version });
    const message = `ledger version ${version} was about to be pruned, and its accounts could not all be read in time`;
    if (!isSealed) await sealPruned(work, version, message);
    await record.finish(version, isLost);
  }

  return {
    totals: (): RunTotals => {
      const exit = signalExit(stop.reason) ?? (record.lost.size > 0 ? "lost" : record.counts.gaps > 0 ? "gaps" : "done");
      return { exit, ...record.counts };
    },
    lost: record.lost as ReadonlySet<bigint>,
    /** Why the run ended before everything that can be read was; undefined when it did not. */
    stoppedBy: (): StopReason | undefined => stop.reason ?? (isOverBudget ? "budget" : undefined),
    /** Gives up what earlier runs left and the node has pruned since. With an archive beside the node nothing is lost yet. */
    recordPruned: async (): Promise<void> => {
      if (reach === undefined) await record.recordPruned();
    },
    /** Reads what can be saved of these versions. `learnApart` is asked once the oldest is safe, where the ledger's pace is not known. */
    all: async (versions: ReadonlySet<bigint>, learnApart: () => Promise<bigint | undefined>): Promise<void> => {
      const done = new Set<bigint>();
      for (;;) {
        if (!isApartKnown && done.size > 0 && stop.reason === undefined) {
          isApartKnown = true;
          open.inferWithin(await learnApart());
        }
        const points = (await backfillQueries(engine).backfillPoints()).filter(
          ({ version, state }) => versions.has(version) && (state !== "lost" || isArchive) && !done.has(version),
        );
        const jobs: Job[] = [];
        for (const point of points) jobs.push(...(await jobOf(point)));
        const admission = admit(jobs, currentMeans());
        // Of an archive's versions most will be inferred: what the budget leaves is known when it is spent.
        const refused = isArchive ? admission.refused.filter(({ why }) => why !== "budget") : admission.refused;
        isOverBudget = refused.some(({ why }) => why === "budget");
        await record.refuse(refused, currentMeans());
        const job = stop.reason === undefined ? await choose(jobs, admission) : undefined;
        if (job === undefined) return;
        done.add(job.version);
        await read(
          job,
          jobs.filter((other) => other !== job),
        );
      }
    },
  };
}
