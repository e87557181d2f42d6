import type { Address } from "../../move/address.ts";
import { type BySeverity, countSeverities } from "../../questions/diff/count-severities.ts";
import type { WeighedChange } from "./weighed-change.ts";

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
