import type { ChangeSummary } from "../../abi/compare/change-summary.ts";
import { compareSeverities, type Severity } from "../../abi/compare/severity.ts";
import type { ModuleChange } from "../../archive/read/changes.ts";
import type { ChangeSnapshots } from "./change-snapshots.ts";

/** A change and how bad it is; and what somebody watches there, where it is an alert. */
export type WeighedChange = { readonly change: ModuleChange; readonly summary: ChangeSummary; readonly watched?: readonly string[] };

export type ShownChange = WeighedChange & ChangeSnapshots;

/** The worst first; what could not be compared stands after what breaks. */
export function worstFirst<T extends WeighedChange>(changes: readonly T[]): T[] {
  const rank = ({ summary }: WeighedChange): Severity => summary.worst ?? "dangerous";
  return changes.toSorted((a, b) => compareSeverities(rank(a), rank(b)) || b.summary.counts.breaking - a.summary.counts.breaking);
}
