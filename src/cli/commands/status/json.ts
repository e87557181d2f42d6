import type { SnapshotCounts } from "../../../archive/read/status-queries.ts";
import type { HorizonForecast } from "../../../crawl/horizon/horizon-forecast.ts";
import { outlookJson } from "../../../crawl/night/summary.ts";
import type { RunRecord } from "../../../work/runs/runs.ts";
import { sumWorkers, type WorkerState } from "../../../work/workers/workers.ts";
import { isoTimeMs, ledgerTimeJson } from "../../output/times.ts";
import type { Status } from "./read-status.ts";
import { DAY_MS } from "./text.ts";

/** The status as one object: keys in snake_case, moments in ISO 8601 (UTC), ledger versions as text since they may pass 2^53. */
export function statusJson(status: Status): Record<string, unknown> {
  const { holdings, newest, lastRun, nowMs } = status;
  return {
    database: status.path,
    database_bytes: holdings.fileBytes,
    chain_id: holdings.chainId,
    snapshots: holdings.snapshots,
    oldest_version: holdings.oldestSnapshot,
    newest_version: holdings.newestSnapshot,
    accounts: holdings.accounts,
    targets: holdings.targets,
    targets_never_read: status.ages?.neverRead ?? null,
    oldest_reading_ms: status.ages?.oldestMs ?? null,
    median_reading_ms: status.ages?.medianMs ?? null,
    ...(status.outlook === undefined ? {} : outlookJson(status.outlook)),
    bytecodes: holdings.bytecodes,
    bytecodes_undecoded: holdings.undecodedBytecodes,
    bytecodes_underived: holdings.underivedBytecodes,
    bytecode_bytes: holdings.bytecodeBytes,
    abis: holdings.abis,
    functions: holdings.functions,
    structs: holdings.structs,
    gaps: holdings.gaps,
    gap_reasons: Object.fromEntries(status.gaps),
    newest_snapshot: newest === undefined ? null : snapshotJson(newest),
    unfinished: status.unfinished.map((snapshot) => {
      const left = status.forecasts[0]?.leftMs(snapshot.ledgerVersion, nowMs);
      return {
        ...snapshotJson(snapshot),
        left_ms: whole(left?.expected),
        left_ms_at_worst: whole(left?.worst),
        urgent: status.urgent.has(snapshot.ledgerVersion),
        ...togetherJson(snapshot, status),
      };
    }),
    workers: status.workers.map(workerJson),
    backfill_wanted: status.wanted,
    last_run: lastRun === undefined ? null : runJson(lastRun),
    nodes: status.forecasts.map((forecast) => nodeJson(forecast, nowMs)),
  };
}

function togetherJson(snapshot: SnapshotCounts, { workers }: Status): Record<string, unknown> {
  const { count, perSecond, leftMs } = sumWorkers(snapshot, workers);
  return {
    workers: count,
    requests_per_second: Number(perSecond.toFixed(1)),
    time_left_ms: leftMs === undefined ? null : Math.round(leftMs),
  };
}

function workerJson(worker: WorkerState): Record<string, unknown> {
  return {
    worker: worker.owner,
    command: worker.command,
    node: worker.node,
    since: isoTimeMs(worker.since),
    silent_ms: worker.silentMs,
    alive: worker.isAlive,
    ledger_version: worker.ledgerVersion ?? null,
    batches: worker.batches,
    intervals: worker.intervals ?? null,
    accounts: worker.accounts,
    requests: worker.requests,
    requests_per_second: Number((worker.perMinute / 60).toFixed(1)),
  };
}

function snapshotJson(snapshot: SnapshotCounts): Record<string, unknown> {
  return {
    ledger_version: snapshot.ledgerVersion,
    status: snapshot.status,
    created_at: isoTimeMs(snapshot.createdAt),
    sealed_at: isoTimeMs(snapshot.sealedAt),
    accounts_planned: snapshot.planned,
    accounts_left: snapshot.left,
    accounts: snapshot.accounts,
    modules: snapshot.modules,
    changed_modules: snapshot.changedModules,
    gaps: snapshot.gaps,
    accounts_passed_over: snapshot.passedOver,
    records_unread: snapshot.unreadRecords,
    digest: snapshot.digest,
    ...ledgerTimeJson(snapshot),
  };
}

function runJson({ started_at, finished_at, ledgerTime, ledgerTimeErrorMs, ...run }: RunRecord): Record<string, unknown> {
  return { ...run, started_at: isoTimeMs(started_at), finished_at: isoTimeMs(finished_at) };
}

function nodeJson({ node, nodes, latest, speed, prunedBy }: HorizonForecast, nowMs: number): Record<string, unknown> {
  const gone = prunedBy(nowMs + DAY_MS);
  return {
    node,
    nodes_behind_it: nodes,
    sampled_at: isoTimeMs(latest.sampledAt),
    head_version: latest.headVersion,
    oldest_version: latest.oldestVersion,
    horizon_versions_per_second: speed?.average ?? null,
    horizon_versions_per_second_at_worst: speed?.sustained ?? null,
    horizon_leap_versions: whole(speed?.leap),
    gone_in_a_day_below: gone?.expected ?? null,
    gone_in_a_day_below_at_worst: gone?.worst ?? null,
  };
}

/** Null for what is not known and for what never comes: JSON has no word for either. */
function whole(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : Math.round(value);
}
