import type { SnapshotCounts } from "../../../archive/read/status-queries.ts";
import { plural } from "../../../base/plural.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import type { WorkerState } from "../../../work/workers/workers.ts";
import { together } from "../../../work/workers/workers-together.ts";

/** A worker in a sentence. */
export function workerText(worker: WorkerState): string {
  const { owner, command, node, forMs, silentMs, ledgerVersion, accounts, batches, intervals, perMinute, isAlive } = worker;
  const who = `${owner} (${command}) at ${node}, for ${formatDuration(forMs)}`;
  const silent = formatDuration(silentMs);
  if (!isAlive) return `${who}: no sign of life for ${silent}; others take what it had in hand`;
  const pace = `${(perMinute / 60).toFixed(1)} requests/s`;
  const doing =
    ledgerVersion !== undefined
      ? `reading ledger version ${ledgerVersion}, ${plural(batches, "batch", "batches")} in hand, ${pace}`
      : intervals !== undefined
        ? `tracing changes, ${plural(intervals, "interval")} in hand, ${pace}`
        : "waiting for work";
  return `${who}: ${doing}; ${plural(accounts, "account")} read; last sign of life ${silent} ago`;
}

/** How far all workers of a snapshot are together; undefined where none reads it. */
export function togetherText(snapshot: SnapshotCounts, workers: readonly WorkerState[]): string | undefined {
  const { count, perSecond, leftMs } = together(snapshot, workers);
  if (count === 0) return undefined;
  const done = snapshot.planned === 0 ? 100 : Math.floor((100 * (snapshot.planned - snapshot.left)) / snapshot.planned);
  const pace = `${plural(count, "worker")} at ledger version ${snapshot.ledgerVersion}: ${done} % done, ${perSecond.toFixed(1)} requests/s together`;
  return leftMs === undefined ? pace : `${pace}, about ${formatDuration(leftMs)} left`;
}
