import { changeQueries, type JudgedChange, type ModuleChange } from "../../archive/read/changes.ts";
import { type SnapshotCounts, statusQueries } from "../../archive/read/status-queries.ts";
import type { BySeverity } from "../../questions/diff/count-severities.ts";
import { sealedAmong } from "../../questions/diff/last-night.ts";
import type { PageArchive } from "../page-archive.ts";
import {
  type ChangeFilter,
  countBySeverity,
  type Entry,
  entriesOf,
  matchesName,
  type ShownChange,
  shownEntries,
  wantedOf,
} from "./entries.ts";

/** The changes that one snapshot showed. */
export type Night = {
  readonly snapshot: SnapshotCounts;
  readonly after: bigint;
  readonly entries: readonly Entry<ShownChange>[];
  /** All of its changes that were asked for, and how bad they are, also those on other pages. */
  readonly total: number;
  readonly bySeverity: BySeverity;
};

/** Where a feed goes on: at a snapshot, some of whose entries were shown already. */
export type FeedPlace = { readonly version: bigint; readonly skip: number };

/** Entries of a part; comparisons that are made for one request. */
const [PART, COMPARED] = [60, 300];

/**
 * Changes night by night, from a place on (the newest when it is undefined), at most `limit` entries; a night alone when `only`
 * is set. Work is bounded: where comparing goes on for too long the part ends early, and `next` says where to go on.
 */
export async function readFeed(
  archive: PageArchive,
  filter: ChangeFilter,
  { place, only = false, limit = PART }: { readonly place: FeedPlace | undefined; readonly only?: boolean; readonly limit?: number },
): Promise<{ readonly nights: readonly Night[]; readonly next: FeedPlace | undefined }> {
  const sealed = sealedAmong(await statusQueries(archive.engine).listSnapshots());
  const start = place === undefined ? 0 : sealed.findIndex(({ ledgerVersion }) => ledgerVersion <= place.version);
  const nights: Night[] = [];
  let [shown, compared] = [0, 0];
  if (start < 0) return { nights, next: undefined };
  for await (const { snapshot, after, changes } of nightsFrom(archive, sealed, start)) {
    const isFirst = snapshot.ledgerVersion === sealed[start]?.ledgerVersion;
    const skip = place !== undefined && snapshot.ledgerVersion === place.version ? place.skip : 0;
    if (!isFirst && only) return { nights, next: undefined };
    if (shown >= limit || compared >= COMPARED) return { nights, next: { version: snapshot.ledgerVersion, skip: 0 } };
    const named = changes.filter((one) => matchesName(one, filter));
    compared += named.filter((change) => !archive.summaries.knows(change)).length;
    const wanted = await wantedOf(archive, { after, upTo: snapshot.ledgerVersion }, named, filter);
    const entries = entriesOf(wanted, filter.account !== undefined);
    const part = entries.slice(skip, skip + limit - shown);
    if (part.length > 0) {
      const counts = { total: wanted.length, bySeverity: countBySeverity(wanted) };
      nights.push({ snapshot, after, entries: await shownEntries(archive, part), ...counts });
    }
    shown += part.length;
    if (skip + part.length < entries.length) return { nights, next: { version: snapshot.ledgerVersion, skip: skip + part.length } };
  }
  return { nights, next: undefined };
}

/** Changes after which the next night is asked for alone. */
const BUSY = 500;
/** Nights that are asked for at once. */
const NIGHTS = 128;

/** A snapshot with what it showed that the one before, `after`, did not. */
type NightChanges = { readonly snapshot: SnapshotCounts; readonly after: bigint; readonly changes: readonly JudgedChange[] };

/**
 * Snapshots with what each showed, the newest first, from the one at the place `start` on. Several are asked for at once, ever
 * more of them: most nights are quiet. @param sealed newest version first
 */
async function* nightsFrom({ engine }: PageArchive, sealed: readonly SnapshotCounts[], start: number): AsyncGenerator<NightChanges> {
  let size = 1;
  let i = start;
  while (i < sealed.length - 1) {
    const some = sealed.slice(i, i + size + 1);
    const [newest, oldest] = [some[0] as SnapshotCounts, some.at(-1) as SnapshotCounts];
    const changes = await changeQueries(engine).listModuleChanges({ after: oldest.ledgerVersion, upTo: newest.ledgerVersion });
    const shownBy = ({ atOrBeforeVersion }: ModuleChange) => some.findLast(({ ledgerVersion }) => ledgerVersion >= atOrBeforeVersion);
    const byNight = Map.groupBy(changes, shownBy);
    for (const [place, snapshot] of some.slice(0, -1).entries()) {
      yield { snapshot, after: some[place + 1]?.ledgerVersion ?? -1n, changes: byNight.get(snapshot) ?? [] };
    }
    i += size;
    size = changes.length > BUSY ? 1 : Math.min(NIGHTS, size * 4);
  }
}
