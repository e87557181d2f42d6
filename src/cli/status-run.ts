import { SAMPLED_MS } from "../crawl/head-watch.ts";
import { type Outlook, outlooks } from "../crawl/outlook.ts";
import type { Holdings, SnapshotCounts } from "../store/overview.ts";
import type { Run } from "../store/runs.ts";
import { openStore } from "../store/store.ts";
import type { Io } from "./io.ts";
import { statusText } from "./status-text.ts";

/** How far ahead the horizon is foretold. */
const DAY_MS = 86_400_000;

/** All that `status` tells. */
export type Status = {
  readonly path: string;
  readonly nowMs: number;
  readonly holdings: Holdings;
  readonly newest: SnapshotCounts | undefined;
  readonly unfinished: readonly SnapshotCounts[];
  /** Gaps by reason. */
  readonly gaps: ReadonlyMap<string, number>;
  readonly lastRun: Run | undefined;
  readonly outlooks: readonly Outlook[];
};

/** Runs `status`. */
export async function runStatus(io: Io, path: string, asJson: boolean): Promise<void> {
  const status = readStatus(path, io.clock.now());
  await io.stdout(
    asJson
      ? `${JSON.stringify(statusJson(status), (_, value) => (typeof value === "bigint" ? value.toString() : value))}\n`
      : statusText(status),
  );
}

function readStatus(path: string, nowMs: number): Status {
  const store = openStore(path, { mode: "read", now: () => nowMs });
  try {
    const snapshots = store.listSnapshots();
    return {
      path,
      nowMs,
      holdings: store.holdings(),
      newest: snapshots.find(({ status }) => status === "sealed" || status === "sealed_with_gaps"),
      unfinished: snapshots.filter(({ status, left }) => status === "unsealed" || left > 0),
      gaps: store.gapReasons(),
      lastRun: store.listRuns(1)[0],
      outlooks: outlooks(store.headSamples({ since: nowMs - SAMPLED_MS })),
    };
  } finally {
    store.close();
  }
}

function statusJson(status: Status): Record<string, unknown> {
  const { holdings, newest, unfinished, gaps, lastRun } = status;
  const latest = status.outlooks[0];
  return {
    database: status.path,
    ...holdings,
    newest_snapshot: newest ?? null,
    unfinished: unfinished.map((snapshot) => {
      const left = latest?.leftMs(snapshot.ledgerVersion, status.nowMs);
      return { ...snapshot, left_ms: finite(left?.expected), left_ms_at_worst: finite(left?.worst) };
    }),
    gap_reasons: Object.fromEntries(gaps),
    last_run: lastRun ?? null,
    nodes: status.outlooks.map(({ node, nodes, latest, speed, goneBy }) => {
      const gone = goneBy(status.nowMs + DAY_MS);
      return {
        node,
        nodes_behind_it: nodes,
        sampled_at: new Date(latest.atMs).toISOString(),
        head_version: latest.headVersion,
        oldest_version: latest.oldestVersion,
        horizon_versions_per_second: speed?.average ?? null,
        horizon_versions_per_second_at_worst: speed?.sustained ?? null,
        horizon_leap_versions: speed?.leap ?? null,
        gone_in_a_day_below: gone?.expected ?? null,
        gone_in_a_day_below_at_worst: gone?.worst ?? null,
      };
    }),
  };
}

/** Null for what nobody can tell and for what never comes: JSON has no word for either. */
function finite(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value;
}
