import { type SnapshotCounts, statusQueries } from "../../../archive/read/status-queries.ts";
import { isUrgent } from "../../../crawl/backfill/jobs.ts";
import { type HorizonForecast, storedForecasts } from "../../../crawl/horizon/horizon-forecast.ts";
import { lastOutlook } from "../../../crawl/night/chosen-targets.ts";
import { readingAges } from "../../../crawl/targets/targets.ts";
import { sealedAmong } from "../../../questions/diff/last-night.ts";
import { backfillQueries } from "../../../work/runs/backfill.ts";
import { type RunRecord, runQueries } from "../../../work/runs/runs.ts";
import { openStore } from "../../../work/store.ts";
import type { AgeFlags } from "../../options/shared-flags.ts";

/** Milliseconds a request is taken to need when no run tells: five a second. */
const GENTLE_MS = 200;

export type Status = Awaited<ReturnType<typeof readStatus>>;

export async function readStatus(path: string, { maxAge, halfLife }: AgeFlags, nowMs: number) {
  await using store = await openStore(path, { mode: "read" });
  const { engine } = store;
  const snapshots = await statusQueries(engine).listSnapshots();
  const lastRun = (await runQueries(engine).listRuns(1))[0];
  const views = await storedForecasts(engine, nowMs);
  const unfinished = snapshots.filter(({ status, left }) => status === "unsealed" || left > 0);
  const head = await runQueries(engine).newestHead();
  const sealed = sealedAmong(snapshots);
  const newest = sealed[0];
  const holdings = await statusQueries(engine).holdings();
  return {
    path,
    nowMs,
    holdings,
    newest,
    unfinished,
    /** Of these, the versions that have to be read on with at once, or the horizon may take them. */
    urgent: urgentAmong(unfinished, views[0], lastRun, nowMs),
    /** Versions that backfill was asked for and that are neither read nor inferred nor lost yet, oldest first. */
    wanted: (await backfillQueries(engine).backfillPoints()).flatMap(({ state, version }) =>
      state === "planned" || state === "refused" ? [version] : [],
    ),
    /** How old what is known of the targets is; undefined before a node was asked. */
    ages: head && (await readingAges(engine, { ledgerVersion: head.headVersion, timestampUsec: head.timestampUsec }, nowMs)),
    /** What nights come to that read as much as the newest snapshot; undefined where it left nothing out. */
    outlook: await lastOutlook(engine, newest, { maxAgeMs: maxAge, halfLifeMs: halfLife }),
    gaps: await statusQueries(engine).gapReasons(),
    lastRun,
    forecasts: views,
  };
}

/** At the pace of the last run, else a gentle one. */
function urgentAmong(
  unfinished: readonly SnapshotCounts[],
  forecast: HorizonForecast | undefined,
  lastRun: RunRecord | undefined,
  nowMs: number,
): ReadonlySet<bigint> {
  if (forecast === undefined) return new Set();
  const { requests, startedAt, finishedAt } = lastRun ?? {};
  const msPerRequest = requests && startedAt !== undefined && finishedAt ? (finishedAt - startedAt) / requests : GENTLE_MS;
  const means = { msPerRequest, budget: Number.POSITIVE_INFINITY, leftMs: (version: bigint) => forecast.leftMs(version, nowMs) };
  const jobs = unfinished.map(({ ledgerVersion, requestsLeft }) => ({ version: ledgerVersion, requests: requestsLeft }));
  return new Set(jobs.filter((job) => isUrgent(job, means)).map(({ version }) => version));
}
