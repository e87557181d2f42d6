import { type ChangeSummary, summarise } from "../../abi/compare/change-summary.ts";
import type { Comparison } from "../../abi/compare/sides.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { type ChangedModule, compareChanges } from "./breaks.ts";

/** Compares a module before and after a change, by the rules of `diff`. */
export function compareChange(archive: ModuleArchive, change: ChangedModule): Promise<Comparison> {
  return compareChanges(archive, [change]);
}

/** A change in short, compared now: for one that no stored judgement tells of. */
export async function judgeNow(archive: ModuleArchive, change: ChangedModule): Promise<ChangeSummary> {
  const { differences, incomparable } = await compareChange(archive, change);
  return summarise(differences[0]?.findings ?? [], incomparable[0]?.reason, differences[0]?.renamed ?? []);
}
