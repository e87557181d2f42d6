import { sealedAmong } from "../../ask/diff/last-night.ts";
import type { ModuleChange } from "../../store/read/changes.ts";
import type { SnapshotCounts } from "../../store/read/status-queries.ts";
import type { PageArchive } from "../page-archive.ts";
import { type ChangeFilter, isHeard, isNamed } from "./change-filter.ts";
import { type ShownChange, type WeighedChange, worstFirst } from "./change-rows.ts";
import { withSnapshots } from "./change-snapshots.ts";
import { withAlerts } from "./watched.ts";

/** Changes after which the next night is asked for alone. */
const BUSY = 500;

/** The changes that one snapshot showed; and when they were found, where that was long after it was read. */
export type Night = {
  readonly snapshot: SnapshotCounts;
  readonly after: bigint;
  readonly changes: readonly ShownChange[];
  readonly foundAt?: number;
};

/** Where a feed goes on: at a snapshot, some of whose changes were shown already. */
export type FeedPlace = { readonly version: bigint; readonly skip: number };

/** A part of the feed, the newest night first. */
export type FeedPart = { readonly nights: readonly Night[]; readonly next: FeedPlace | undefined };

/** Changes of a part; comparisons that are made for one request; nights that are asked for at once. */
const [PART, COMPARED, NIGHTS] = [60, 300, 128];

/**
 * Changes night by night, from a place on (the newest when it is undefined), at most `limit` of them; a night alone when `only`
 * is set. Work is bounded: where comparing goes on for too long the part ends early, and `next` says where to go on.
 */
export async function readFeed(
  archive: PageArchive,
  filter: ChangeFilter,
  { place, only = false, limit = PART }: { readonly place: FeedPlace | undefined; readonly only?: boolean; readonly limit?: number },
): Promise<FeedPart> {
  const sealed = sealedAmong(await archive.store.listSnapshots());
  const start = place === undefined ? 0 : sealed.findIndex(({ ledgerVersion }) => ledgerVersion <= place.version);
  const nights: Night[] = [];
  let [shown, compared] = [0, 0];
  if (start < 0) return { nights, next: undefined };
  for await (const { snapshot, after, changes } of nightsFrom(archive, sealed, start)) {
    const isFirst = snapshot.ledgerVersion === sealed[start]?.ledgerVersion;
    const skip = place !== undefined && snapshot.ledgerVersion === place.version ? place.skip : 0;
    if (!isFirst && only) return { nights, next: undefined };
    if (shown >= limit || compared >= COMPARED) return { nights, next: { version: snapshot.ledgerVersion, skip: 0 } };
    const weighed: WeighedChange[] = [];
    for (const change of changes.filter((one) => isNamed(one, filter))) {
      if (!archive.summaries.knows(change)) compared += 1;
      weighed.push({ change, summary: await archive.summaries.of(change) });
    }
    const heard = weighed.filter(({ summary }) => isHeard(summary, filter));
    const marked = await withAlerts(archive.store, { after, upTo: snapshot.ledgerVersion }, heard);
    const wanted = worstFirst(filter.isWatched ? marked.filter(({ watched }) => watched !== undefined) : marked);
    const part = wanted.slice(skip, skip + limit - shown);
    if (part.length > 0) nights.push({ snapshot, after, changes: await withSnapshots(archive.modules, part) });
    shown += part.length;
    if (skip + part.length < wanted.length) return { nights, next: { version: snapshot.ledgerVersion, skip: skip + part.length } };
  }
  return { nights, next: undefined };
}

type ReadNight = { readonly snapshot: SnapshotCounts; readonly after: bigint; readonly changes: readonly ModuleChange[] };

/** Snapshots with what each showed, the newest first. Several are asked for at once, ever more of them: most nights are quiet. */
async function* nightsFrom({ store }: PageArchive, sealed: readonly SnapshotCounts[], start: number): AsyncGenerator<ReadNight> {
  let size = 1;
  let i = start;
  while (i < sealed.length - 1) {
    const some = sealed.slice(i, i + size + 1);
    const [newest, oldest] = [some[0] as SnapshotCounts, some.at(-1) as SnapshotCounts];
    const changes = await Array.fromAsync(store.moduleChanges({ after: oldest.ledgerVersion, upTo: newest.ledgerVersion }));
    const shownBy = ({ atOrBeforeVersion }: ModuleChange) => some.findLast(({ ledgerVersion }) => ledgerVersion >= atOrBeforeVersion);
    const byNight = Map.groupBy(changes, shownBy);
    for (const [place, snapshot] of some.slice(0, -1).entries()) {
      yield { snapshot, after: some[place + 1]?.ledgerVersion ?? -1n, changes: byNight.get(snapshot) ?? [] };
    }
    i += size;
    size = changes.length > BUSY ? 1 : Math.min(NIGHTS, size * 4);
  }
}
