import type { ChangeSummary } from "../../abi/compare/finding.ts";
import { type Audience, audiences, compareSeverities, type Severity, severities } from "../../abi/compare/severity.ts";
import type { JudgedChange, ModuleChange, VersionRange } from "../../archive/read/changes.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { readSealedVersions } from "../../archive/snapshots/snapshot-queries.ts";
import { memoize } from "../../base/async.ts";
import type { Engine } from "../../engine/engine.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { type BySeverity, countSeverities } from "../../questions/diff/count-severities.ts";
import { coveringNeighbours } from "../../questions/snapshot-choice.ts";
import { deliveryQueries } from "../../work/alerts/deliveries.ts";
import type { PageCall } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { readAddress, readChoice } from "../parameters.ts";

export type ChangeFilter = {
  readonly account: Address | undefined;
  /** A module's name or a part of it. */
  readonly module: string | undefined;
  /** Changes at this level or worse. */
  readonly severity: Severity | undefined;
  /** The audience; all of them when it is undefined. */
  readonly audience: Audience | undefined;
  /** Alone what is an alert of something watched. */
  readonly isWatched: boolean;
};

/** The filter in a query string. @throws ConfigError for an account, a severity or an audience that is none */
export function readFilter({ query }: Pick<PageCall, "query">): ChangeFilter {
  const account = query("account");
  return {
    account: account === undefined ? undefined : (parseAddress(account) ?? readAddress(account)),
    module: query("module"),
    severity: readChoice(query, "severity", severities),
    audience: readChoice(query, "audience", audiences),
    isWatched: query("watched") === "1",
  };
}

export function matchesName({ address, module }: ModuleChange, filter: ChangeFilter): boolean {
  return (filter.account === undefined || address === filter.account) && (filter.module === undefined || module.includes(filter.module));
}

/** Whether a change is as bad as is wanted, for whom it is wanted. What could not be compared is heard by all: it may be the worst. */
function matchesSeverity({ worst, forAudience, reason }: ChangeSummary, { severity, audience }: ChangeFilter): boolean {
  if (reason !== undefined || worst === undefined) return true;
  const level = audience === undefined ? worst : forAudience[audience];
  return level !== undefined && (severity === undefined || compareSeverities(level, severity) <= 0);
}

/**
 * The sealed snapshots nearest to a change on both sides that have an answer about the account: what can be shown. Of a
 * change that `trace` found they are not the versions of the change itself.
 */
export type ChangeSnapshots = { readonly before: bigint | undefined; readonly after: bigint | undefined };

export async function withSnapshots<T extends { readonly change: ModuleChange }>(
  archive: ModuleArchive,
  changes: readonly T[],
): Promise<(T & ChangeSnapshots)[]> {
  const sealed = new Set(await readSealedVersions(archive.engine));
  const covers = memoize(Number.POSITIVE_INFINITY, (address, version) => `${address} ${version}`, archive.covers);
  const found: (T & ChangeSnapshots)[] = [];
  for (const each of changes) {
    const { address, afterVersion, atOrBeforeVersion } = each.change;
    const shows = async (version: bigint): Promise<boolean> => sealed.has(version) && (await covers(address, version));
    const before = (await shows(afterVersion)) ? afterVersion : (await coveringNeighbours(archive, address, afterVersion))[0];
    const after = (await shows(atOrBeforeVersion)) ? atOrBeforeVersion : (await coveringNeighbours(archive, address, atOrBeforeVersion))[1];
    found.push({ ...each, before, after });
  }
  return found;
}

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
