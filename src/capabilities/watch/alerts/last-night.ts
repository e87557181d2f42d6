import type { SnapshotCounts } from "../../../core/db/archive/read/status-queries.ts";
import type { VersionRange } from "../../changes/judge/changes.ts";
import type { AlertStretch } from "./deliveries.ts";

/**
 * The stretch of the last night: from the newest snapshot of an earlier run to the newest of all (`sealed` is newest first), so
 * that backfill between them hides nothing. Before the first, all counts.
 */
export function lastNight(sealed: readonly SnapshotCounts[]): VersionRange {
  const newest = sealed[0];
  const previous = sealed.find(({ createdAt }) => newest !== undefined && createdAt < newest.createdAt) ?? sealed[1];
  return { after: previous?.ledgerVersion ?? -1n, upTo: newest?.ledgerVersion ?? -1n };
}

/** The alerts of a stretch, those among them that were found late: since the first of its snapshots was begun. */
export function alertsOf(sealed: readonly SnapshotCounts[], stretch: VersionRange): AlertStretch {
  const begun = sealed.filter(({ ledgerVersion }) => ledgerVersion > stretch.after).map(({ createdAt }) => createdAt);
  return { ...stretch, judgedSince: begun.length === 0 ? null : begun.reduce((a, b) => Math.min(a, b)) };
}
