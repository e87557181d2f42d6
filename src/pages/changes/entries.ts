import { type Severity, severities } from "../../abi/compare/severity.ts";
import type { Address } from "../../move/address.ts";
import type { WeighedChange } from "./weighed-change.ts";

/** A change, or the changes of one account in one night where they are many: a release. `total` counts all of them. */
export type Entry<T extends WeighedChange = WeighedChange> = {
  readonly changes: readonly T[];
  readonly total: number;
  /** The account of a release; undefined for a change that stands alone. */
  readonly account: Address | undefined;
  readonly bySeverity: BySeverity;
};

/** Changes by how bad they are, in the order of severity; what could not be compared is `unclear`. Levels without any are left out. */
export type BySeverity = readonly (readonly [level: Severity | "unclear", changes: number])[];

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

/** How many changes there are of each severity. */
export function countBySeverity(changes: readonly WeighedChange[]): BySeverity {
  const counts = new Map<Severity | "unclear", number>();
  for (const { summary } of changes) counts.set(summary.worst ?? "unclear", (counts.get(summary.worst ?? "unclear") ?? 0) + 1);
  return (["breaking", "unclear", ...severities.filter((one) => one !== "breaking")] as const).flatMap((level) => {
    const found = counts.get(level);
    return found === undefined ? [] : [[level, found] as const];
  });
}
