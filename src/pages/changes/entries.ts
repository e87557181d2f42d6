import type { ChangeSummary } from "../../abi/compare/change-summary.ts";
import { compareSeverities, type Severity } from "../../abi/compare/severity.ts";
import type { ModuleChange } from "../../archive/read/changes.ts";
import type { Address } from "../../move/address.ts";
import { type BySeverity, countSeverities } from "../../questions/diff/count-severities.ts";
import type { ChangeSnapshots } from "./change-snapshots.ts";

/** A change and how bad it is; and what somebody watches there, where it is an alert. */
export type WeighedChange = { readonly change: ModuleChange; readonly summary: ChangeSummary; readonly watched?: readonly string[] };

export type ShownChange = WeighedChange & ChangeSnapshots;

/** The worst first; what could not be compared stands after what breaks. */
export function worstFirst<T extends WeighedChange>(changes: readonly T[]): T[] {
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
export function entriesOf<T extends WeighedChange>(worstFirst: readonly T[], isApart: boolean): Entry<T>[] {
  const byAccount = Map.groupBy(worstFirst, ({ change }) => change.address);
  const entries: Entry<T>[] = [];
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
