import { type Outlook, outlooks } from "../crawl/outlook.ts";
import type { Holdings, SnapshotCounts } from "../store/overview.ts";
import type { Run } from "../store/runs.ts";
import { openStore } from "../store/store.ts";
import type { Io } from "./io.ts";
import { statusText } from "./status-text.ts";

/** How far back the horizon's speed is judged. */
const SAMPLED_MS = 14 * 86_400_000;

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
      unfinished: snapshots.filter(({ status }) => status === "unsealed"),
      gaps: store.gapReasons(),
      lastRun: store.listRuns(1)[0],
      outlooks: outlooks(store.headSamples({ since: nowMs - SAMPLED_MS }), nowMs),
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
    unfinished: unfinished.map((snapshot) => ({ ...snapshot, left_ms: latest?.leftMs(snapshot.ledgerVersion) ?? null })),
    gap_reasons: Object.fromEntries(gaps),
    last_run: lastRun ?? null,
    nodes: status.outlooks.map(({ node, latest, speed, goneInADay }) => ({
      node,
      sampled_at: new Date(latest.atMs).toISOString(),
      head_version: latest.headVersion,
      oldest_version: latest.oldestVersion,
      horizon_versions_per_second: speed?.average ?? null,
      horizon_versions_per_second_worst: speed?.worst ?? null,
      gone_in_a_day_below: goneInADay ?? null,
    })),
  };
}
