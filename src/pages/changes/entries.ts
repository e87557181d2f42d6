import type { ChangeSummary } from "../../abi/compare/finding.ts";
import { compareSeverities, type Severity } from "../../abi/compare/severity.ts";
import type { JudgedChange, ModuleChange, VersionRange } from "../../archive/read/changes.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { type BySeverity, countSeverities } from "../../questions/diff/count-severities.ts";
import { deliveryQueries } from "../../work/alerts/deliveries.ts";
import type { PageArchive } from "../page-archive.ts";
import { type ChangeFilter, matchesSeverity } from "./change-filter.ts";
import { type ChangeSnapshots, withSnapshots } from "./change-snapshots.ts";

/** A change and how bad it is; and what somebody watches there, where it is an alert. */
export type WeighedChange = { readonly change: ModuleChange; readonly summary: ChangeSummary; readonly watched?: readonly string[] };

export type ShownChange = WeighedChange & ChangeSnapshots;

/** The worst first; what could not be compared stands after what breaks. */
function worstFirst(changes: readonly WeighedChange[]): WeighedChange[] {
  const rank = ({ summary }: WeighedChange): Severity => summary.worst ?? "dangerous";
  return changes.toSorted((a, b) => compareSeverities(rank(a), rank(b)) || b.summary.counts.breaking - a.summary.counts.breaking);
}

/** A change, or the changes of one account in one night where they are many: a release. `total` counts all of them. */
export type Entry<T extends WeighedChange = WeighedChange> = {
  readonly changes: readonly T[];
  readonly total: number;
  /** The account of a release; undefined for a change that stands alone. */
  readonly account: Address | undefined;
  readonly bySeverity: BySeverity;
};

/** Changes of one account that make a release, and those of a release that are listed. */
const [RELEASE_MIN, LISTED_MAX] = [5, 40];

/** Changes of a night as entries, each where its worst one stands. With `isApart` no release is made of them. */
export function entriesOf(worstFirst: readonly WeighedChange[], isApart: boolean): Entry[] {
  const byAccount = Map.groupBy(worstFirst, ({ change }) => change.address);
  const entries: Entry[] = [];
  for (const each of worstFirst) {
    const of = byAccount.get(each.change.address);
    if (of === undefined) continue;
    const isRelease = !isApart && of.length >= RELEASE_MIN;
    // Its other changes are in the entry of its worst one.
    if (isRelease) byAccount.delete(each.change.address);
    const changes = isRelease ? of : [each];
    entries.push({
      changes: changes.slice(0, LISTED_MAX),
      total: changes.length,
      account: isRelease ? each.change.address : undefined,
      bySeverity: countBySeverity(changes),
    });
  }
  return entries;
}

export function countBySeverity(changes: readonly WeighedChange[]): BySeverity {
  return countSeverities(changes.map(({ summary }) => summary.worst ?? "unclear"));
}

/** Of a stretch's changes those that the filter wants, with what somebody watches there; the worst first. */
export async function wantedOf(
  archive: PageArchive,
  stretch: VersionRange,
  changes: readonly JudgedChange[],
  filter?: ChangeFilter,
): Promise<WeighedChange[]> {
  const weighed = await Array.fromAsync(changes, async (change) => ({ change, summary: await archive.summaries.of(change) }));
  const heard = weighed.filter(({ summary }) => filter === undefined || matchesSeverity(summary, filter));
  const marked = await withAlerts(archive.engine, stretch, heard);
  return worstFirst(filter?.isWatched ? marked.filter(({ watched }) => watched !== undefined) : marked);
}

/** Alerts of one night that are looked up; what is beyond is shown as if nobody watched it. */
const ALERTS_MAX = 10_000;

/** Marks the changes that are alerts of something watched with what is watched there. */
async function withAlerts(engine: Engine, stretch: VersionRange, changes: readonly WeighedChange[]): Promise<readonly WeighedChange[]> {
  if (changes.length === 0) return [];
  const alerts = Map.groupBy(await deliveryQueries(engine).listAlerts({ ...stretch, judgedSince: null }, ALERTS_MAX), nameOf);
  return changes.map((each) => {
    const found = alerts.get(nameOf(each.change));
    return found === undefined ? each : { ...each, watched: [...new Set(found.map(({ watch }) => watch.subject))] };
  });
}

type Named = Pick<ModuleChange, "address" | "module" | "from" | "to" | "atOrBeforeVersion">;

function nameOf({ address, module, from, to, atOrBeforeVersion }: Named): string {
  return `${address} ${module} ${from} ${to} ${atOrBeforeVersion}`;
}

/** Entries with the snapshots that can be shown of each change. */
export function shownEntries({ modules }: PageArchive, entries: readonly Entry[]): Promise<Entry<ShownChange>[]> {
  return Array.fromAsync(entries, async (entry) => ({ ...entry, changes: await withSnapshots(modules, entry.changes) }));
}
