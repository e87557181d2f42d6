import { type SnapshotCounts, sealedAmong, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import type { Engine } from "../../../core/db/engine/engine.ts";
import type { Address } from "../../../core/move/address.ts";
import type { ChangeSummary } from "../../changes/compare/finding.ts";
import { audiences, compareSeverities, type Severity, severities } from "../../changes/compare/severity.ts";
import { type BySeverity, countSeverities } from "../../changes/diff/report.ts";
import {
  type ChangedModule,
  changeKey,
  changeQueries,
  type JudgedChange,
  type ModuleChange,
  type VersionRange,
} from "../../changes/judge/changes.ts";
import { type PageCall, readAddress, readChoice } from "../../pages/page.ts";
import type { PageArchive, WeighedChange } from "../../pages/page-archive.ts";
import { deliveryQueries } from "../../watch/alerts/deliveries.ts";

export type ChangeFilter = ReturnType<typeof readFilter>;

/** The filter in a query string. @throws ConfigError for an account, a severity or an audience that is none */
export function readFilter({ query }: Pick<PageCall, "query">) {
  const account = query("account");
  return {
    account: account === undefined ? undefined : readAddress(account),
    /** A module's name or a part of it. */
    module: query("module") ?? "",
    /** Changes at this level or worse, for this audience; for all of them when it is undefined. */
    severity: readChoice(query, "severity", severities),
    audience: readChoice(query, "audience", audiences),
    /** Alone what is an alert of something watched. */
    isWatched: query("watched") === "1",
  };
}

/** Whether a change is as bad as is wanted, for whom it is wanted. What could not be compared passes every filter: it may be the worst. */
function matchesSeverity({ worst, forAudience, reason }: ChangeSummary, { severity, audience }: ChangeFilter): boolean {
  if (reason !== undefined || worst === undefined) return true;
  const level = audience === undefined ? worst : forAudience[audience];
  return level !== undefined && (severity === undefined || compareSeverities(level, severity) <= 0);
}

/** A change and how bad it is; and what somebody watches there, where it is an alert. */
export type MarkedChange = WeighedChange & { readonly watched: readonly string[] };

/** Alerts of one night that are looked up; what is beyond is shown as if nobody watched it. */
const ALERTS_MAX = 10_000;

/**
 * Of a stretch's changes those that the filter wants, with what somebody watches there. The worst first; what could not be compared stands
 * after what breaks.
 */
export async function wantedOf(
  engine: Engine,
  stretch: VersionRange,
  weighed: readonly WeighedChange[],
  filter?: ChangeFilter,
): Promise<MarkedChange[]> {
  const matching = weighed.filter(({ summary }) => filter === undefined || matchesSeverity(summary, filter));
  const listed = matching.length === 0 ? [] : await deliveryQueries(engine).listAlerts({ ...stretch, judgedSince: null }, ALERTS_MAX);
  const nameOf = (change: ChangedModule & Pick<ModuleChange, "atOrBeforeVersion">): string =>
    `${changeKey(change)} ${change.atOrBeforeVersion}`;
  const alerts = Map.groupBy(listed, nameOf);
  const marked = matching.map((each): MarkedChange => {
    return { ...each, watched: [...new Set(alerts.get(nameOf(each.change))?.map(({ watch }) => watch.subject))] };
  });
  const rank = ({ summary }: WeighedChange): Severity => summary.worst ?? "dangerous";
  return marked
    .filter(({ watched }) => watched.length > 0 || !filter?.isWatched)
    .sort((a, b) => compareSeverities(rank(a), rank(b)) || b.summary.counts.breaking - a.summary.counts.breaking);
}

/** A change, or the changes of one account in one night where they are many: a release. `total` counts all of them. */
export type Entry = Readonly<{ changes: readonly MarkedChange[]; total: number; account: Address | undefined; bySeverity: BySeverity }>;

/** Changes of one account that make a release, and those of a release that are listed. */
const [RELEASE_MIN, LISTED_MAX] = [5, 40];

/** Changes of a night as entries, each where its worst one stands, of at most `listed`. With `isApart` no release is made of them. */
export function entriesOf(worstFirst: readonly MarkedChange[], isApart: boolean, listed = LISTED_MAX): Entry[] {
  const byAccount = Map.groupBy(worstFirst, ({ change }) => change.address);
  return worstFirst.flatMap((each): Entry[] => {
    const { address } = each.change;
    const ofAccount = byAccount.get(address) ?? [];
    const isRelease = !isApart && ofAccount.length >= RELEASE_MIN;
    // Its other changes are in the entry of its worst one.
    if (isRelease && ofAccount[0] !== each) return [];
    const changes = isRelease ? ofAccount : [each];
    const bySeverity = countBySeverity(changes);
    return [{ changes: changes.slice(0, listed), total: changes.length, account: isRelease ? address : undefined, bySeverity }];
  });
}

export function countBySeverity(changes: readonly WeighedChange[]): BySeverity {
  return countSeverities(changes.map(({ summary }) => summary.worst ?? "unclear"));
}

/** A snapshot with what it showed that the one before, `after`, did not. */
type NightChanges = Readonly<{ snapshot: SnapshotCounts; after: bigint; changes: readonly JudgedChange[] }>;

/** A night with some of its entries; `total` and `bySeverity` count all of its changes that were asked for. */
export type Night = Omit<NightChanges, "changes"> & Readonly<{ entries: readonly Entry[]; total: number; bySeverity: BySeverity }>;

/** Where a feed goes on: at a snapshot, some of whose entries were shown already. */
export type FeedPlace = Readonly<{ version: bigint; skip: number }>;

/** Where a part begins; one night alone; entries of it, and changes that an entry lists. */
type FeedPart = Readonly<{ place: FeedPlace | undefined; only?: boolean; limit?: number; listed?: number }>;

/** Entries of a part; comparisons that are made for one request. */
const [PART, COMPARED] = [40, 300];

/**
 * Changes night by night, from a place on (the newest when it is undefined), at most `limit` entries; a night alone when `only`
 * is set. Work is bounded: where comparing goes on for too long the part ends early, and `next` says where to go on.
 */
export async function readFeed(
  archive: PageArchive,
  filter: ChangeFilter,
  { place, only = false, limit = PART, listed }: FeedPart,
): Promise<{ readonly nights: readonly Night[]; readonly next: FeedPlace | undefined }> {
  const sealed = sealedAmong(await statusQueries(archive.engine).listSnapshots());
  const asked = sealed.filter(({ ledgerVersion }) => place === undefined || ledgerVersion <= place.version);
  const nights: Night[] = [];
  const { account } = filter;
  let [shown, compared] = [0, 0];
  for await (const { snapshot, after, changes } of nightsFrom(archive, only ? asked.slice(0, 2) : asked)) {
    const { ledgerVersion: version } = snapshot;
    const skip = place?.version === version ? place.skip : 0;
    if (shown >= limit || compared >= COMPARED) return { nights, next: { version, skip: 0 } };
    const named = changes.filter(({ address, module }) => (account ?? address) === address && module.includes(filter.module));
    const stretch = { after, upTo: version };
    const { weighed, made } = await archive.weighChanges(named, stretch, snapshot.gaps);
    compared += made;
    const wanted = await wantedOf(archive.engine, stretch, weighed, filter);
    const all = entriesOf(wanted, account !== undefined, listed);
    const entries = all.slice(skip, skip + limit - shown);
    // Of the newest night also that nothing is known of an account: no other night tells of it.
    const isUnknown = (only || snapshot === sealed[0]) && snapshot.gaps > 0 && (await hasGapOf(archive, snapshot, account));
    if (entries.length > 0 || isUnknown)
      nights.push({ snapshot, after, entries, total: wanted.length, bySeverity: countBySeverity(wanted) });
    shown += entries.length;
    if (skip + entries.length < all.length) return { nights, next: { version, skip: skip + entries.length } };
  }
  return { nights, next: undefined };
}

/** Whether a snapshot that has gaps has one of this account, or of any where none is named. */
export async function hasGapOf(
  { modules }: PageArchive,
  { ledgerVersion }: SnapshotCounts,
  account: Address | undefined,
): Promise<boolean> {
  return account === undefined || (await modules.gapReason(account, ledgerVersion)) !== undefined;
}

/** Nights whose changes are asked for at once: most are quiet. */
const NIGHTS = 16;

/** Snapshots with what each showed, the newest first. The last of `sealed` is what the one before is compared with. */
async function* nightsFrom({ engine }: PageArchive, sealed: readonly SnapshotCounts[]): AsyncGenerator<NightChanges> {
  for (let i = 0; i < sealed.length - 1; i += NIGHTS) {
    const some = sealed.slice(i, i + NIGHTS + 1);
    const [newest, oldest] = [some[0] as SnapshotCounts, some.at(-1) as SnapshotCounts];
    const changes = await changeQueries(engine).listModuleChanges({ after: oldest.ledgerVersion, upTo: newest.ledgerVersion });
    const shownBy = ({ atOrBeforeVersion }: ModuleChange) => some.findLast(({ ledgerVersion }) => ledgerVersion >= atOrBeforeVersion);
    const byNight = Map.groupBy(changes, shownBy);
    for (const [place, snapshot] of some.slice(0, -1).entries()) {
      yield { snapshot, after: some[place + 1]?.ledgerVersion ?? -1n, changes: byNight.get(snapshot) ?? [] };
    }
  }
}
