import { askFirst } from "../../core/crawl/check/first-answer.ts";
import type { HeadWatch } from "../../core/crawl/horizon/head-watch.ts";
import { LedgerTime } from "../../core/crawl/horizon/ledger-time.ts";
import { askFirstOf, NO_TOTALS, type RunTotals, recordRun } from "../../core/crawl/night/run-record.ts";
import type { SnapshotWork } from "../../core/crawl/night/snapshot-reader.ts";
import { listScope, type RecordCadence, requestsEach } from "../../core/crawl/targets/targets.ts";
import { snapshotQueries } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { MovedexError } from "../../core/errors.ts";
import type { Address } from "../../core/move/address.ts";
import type { LedgerNode } from "../../core/node/open-node.ts";
import type { LedgerHead } from "../../core/node/protocol/ledger-head.ts";
import { forecastNow, openForecast } from "../horizon/horizon-forecast.ts";
import {
  admit,
  type HorizonPart,
  isWithin,
  needsTime,
  type PointsRequest,
  planVersions,
  type Step,
  type WantedVersion,
} from "./backfill-points.ts";
import { openBackfill } from "./backfill-run.ts";
import { pointQueries } from "./point-record.ts";

/** What backfill is asked for: versions, and accounts (undefined: the stored targets, else the framework accounts). */
export type BackfillRequest = {
  readonly points: PointsRequest;
  readonly scope: readonly Address[] | undefined;
  /** How far apart two snapshots may be between which accounts are inferred; undefined for any distance. */
  readonly maxInferred: Step | undefined;
  readonly maxRequests: number | undefined;
  /** How often account records are read; default with the code, at every version. */
  readonly records?: RecordCadence | undefined;
  /** Which of the versions this node is asked for; default all. */
  readonly reach?: HorizonPart;
};

export type BackfillSummary = Awaited<ReturnType<typeof backfill>>;

/** Versions a second where nothing tells their rate: slower than any network there is, so that less is inferred rather than more. */
const SLOWEST_RATE = 1;

/** Two heads of a node, this far apart, tell the rate of versions where nothing else does. */
const TIME_PAUSE_MS = 15_000;

/**
 * Takes snapshots at older versions, the oldest first, and decides after each what can be saved. Accounts whose modules are the same on
 * both sides of a version are not read but inferred, and never stored as observed.
 */
export async function backfill(work: SnapshotWork, request: BackfillRequest) {
  const { engine, node, clock, stop } = work;
  const startedMs = clock.monotonic();
  const { head } = await askFirstOf(work, "backfill");
  await snapshotQueries(engine).bindChain(head.chainId);
  const scope = await listScope(engine, request.scope);
  let totals = (): RunTotals => ({ exit: "failed", ...NO_TOTALS });
  const night = async (watch: HeadWatch) => {
    const { maxRequests, records, reach } = request;
    const { wanted, maxApart } = await wantedOf(work, request, head);
    const run = openBackfill(work, await openForecast(work, watch), { scope, firstHead: head, maxApart, maxRequests, records, reach });
    totals = run.totals;
    // With an archive beside the node nothing is lost yet.
    if (reach === undefined) await run.recordPruned();
    await pointQueries(engine).askPoints(wanted, clock.now(), maxApart);
    const versions = await versionsOf(engine, wanted);
    await run.all(versions);
    const all = await pointQueries(engine).backfillPoints();
    const points = all.filter(({ version }) => versions.has(version) || run.lost.has(version));
    return {
      chainId: head.chainId,
      /** The versions asked for, and those of earlier runs that this one found pruned: oldest first, with what became of each. */
      points,
      /** How many are left though nothing stopped the run: they will be pruned before it could read them. */
      tooLate: stop.reason === undefined ? points.filter(({ state }) => state === "planned").length : 0,
      /** How many of them were lost in this run, whole or in part. */
      lostNow: run.lost.size,
      stoppedBy: stop.reason,
      requests: node.stats().requests,
      durationMs: clock.monotonic() - startedMs,
      exit: run.totals().exit,
    };
  };
  return recordRun(work, "backfill", night, () => totals());
}

/** The recorded versions of points: an earlier run may have estimated another version for the same moment. */
async function versionsOf(engine: Engine, points: readonly WantedVersion[]): Promise<ReadonlySet<bigint>> {
  const recorded = new Map(
    (await pointQueries(engine).backfillPoints()).flatMap(({ wantedTime, version }) =>
      wantedTime === null ? [] : [[wantedTime, version]],
    ),
  );
  return new Set(points.map(({ version, wantedTime }) => (wantedTime === null ? version : (recorded.get(wantedTime) ?? version))));
}

type TimingWork = Pick<SnapshotWork, "node" | "clock" | "stop"> & { readonly engine: Engine | undefined };

/**
 * The versions that are wanted of this node, and how many versions apart two snapshots may be between which accounts are inferred
 * (undefined for any). @throws BackfillError
 */
async function wantedOf(work: TimingWork, { points, maxInferred: step, reach }: BackfillRequest, head: LedgerHead) {
  const isInTime = step !== undefined && "ms" in step;
  const isNeeded = isInTime || needsTime(points);
  const time = isNeeded ? await learnTime(work, head) : await LedgerTime.read(work.engine, head, work.node.lastHead() ?? head);
  if (time === undefined && needsTime(points)) {
    const { ledgerVersion: version } = head;
    const found = `cannot map times to versions: the node's newest version ${version} has not moved, and no earlier run saw another`;
    const advice = "Give --every, --from and --to in versions, or run again when the ledger moves.";
    throw new BackfillError("MOVEDEX_BACKFILL_TIMELESS", `${found}. ${advice}`, { facts: { version } });
  }
  return {
    wanted: planVersions(points, head, time)
      .filter(({ version }) => isWithin(version, reach))
      .map((point) => ({ ...point, ...estimateOf(point, head, time) })),
    maxApart: isInTime ? (time?.versionsIn(step.ms) ?? BigInt(Math.round((step.ms / 1000) * SLOWEST_RATE))) : step?.versions,
  };
}

/** About when a version was made that stands for no moment: at the pace of all marks, and off by at most its distance from the newest. */
function estimateOf({ version, wantedTime }: WantedVersion, head: LedgerHead, time: LedgerTime | undefined) {
  if (time === undefined || wantedTime !== null) return {};
  const ms = time.timeAt(version);
  return { estimate: { ms, errorMs: Math.max(0, Number(head.timestampUsec / 1000n) - ms) } };
}

/** From all samples and the newest answer. With one head alone it asks once more; undefined if the head has not moved either. */
async function learnTime({ engine, node, clock, stop }: TimingWork, head: LedgerHead): Promise<LedgerTime | undefined> {
  const heads = [head, node.lastHead() ?? head];
  const known = await LedgerTime.read(engine, ...heads);
  if (known !== undefined) return known;
  await clock.sleep(TIME_PAUSE_MS, stop.signal);
  const later = await node.index(stop.signal);
  return LedgerTime.read(engine, ...heads, later.head);
}

/** The node's head stood still, so nothing tells how versions and time go together. Code: `MOVEDEX_BACKFILL_TIMELESS`. */
class BackfillError extends MovedexError {}

/** A backfill's plan: each version with the accounts to read there (0: all are inferred or held), and why it is not read. */
export type BackfillPlan = Awaited<ReturnType<typeof planBackfill>>;

/** Plans a backfill with a few requests, and writes nothing. `engine` is undefined where there is no database yet. */
export async function planBackfill(
  work: Pick<SnapshotWork, "clock" | "stop" | "log"> & { readonly node: LedgerNode; readonly engine: Engine | undefined },
  request: BackfillRequest,
  ratePerSecond: number,
) {
  const { node, engine, clock } = work;
  const { head } = await askFirst({ ...work, isPlan: true });
  const scope = await listScope(engine, request.scope);
  const { wanted, maxApart } = await wantedOf(work, request, head);
  const points: (WantedVersion & { readonly accounts: number })[] = [];
  for (const point of wanted) {
    const open = (await (engine && pointQueries(engine).openAccounts(point.version, scope, maxApart))) ?? scope;
    points.push({ ...point, accounts: open.length });
  }
  const each = requestsEach(request.records);
  const jobs = points.flatMap(({ version, accounts }) => (accounts > 0 ? [{ version, requests: each * accounts }] : []));
  const now = clock.now();
  const forecast = await forecastNow(engine, node.url, head, now);
  const msPerRequest = ratePerSecond > 0 ? 1000 / ratePerSecond : 0;
  const { able, refused, requests } = admit(jobs, msPerRequest, (version) => forecast.leftMs(version, now)?.expected, request.maxRequests);
  const durationMs = msPerRequest > 0 ? requests * msPerRequest : undefined;
  return { chainId: head.chainId, points, snapshots: able.length, refused, requests, durationMs };
}
