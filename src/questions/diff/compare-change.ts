import { type ChangeSummary, summarise } from "../../abi/compare/change-summary.ts";
import type { RuleFinding } from "../../abi/compare/finding.ts";
import type { Audience } from "../../abi/compare/severity.ts";
import { compareSides } from "../../abi/compare/sides.ts";
import type { WeighedFinding } from "../../abi/compare/usage.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { type ChangedModule, sideOf } from "./breaks.ts";
import { type DiffReport, makeReport } from "./report.ts";

/** Compares a module before and after a change, by the rules of `diff`; for these audiences (all if undefined), each finding weighed. */
export async function compareChange(
  archive: ModuleArchive,
  change: ChangedModule,
  audiences?: readonly Audience[],
  weigh: (finding: RuleFinding) => Promise<WeighedFinding> = async (finding) => finding,
): Promise<DiffReport> {
  const comparison = await compareSides(sideOf(archive, "before", [change], "from"), sideOf(archive, "after", [change], "to"));
  return makeReport(comparison, (_, finding) => weigh(finding), { audiences, failOn: undefined, usage: undefined });
}

/** A change in short, compared now: for one that no stored judgement tells of. */
export async function judgeNow(archive: ModuleArchive, change: ChangedModule): Promise<ChangeSummary> {
  const { modules, incomparable } = await compareChange(archive, change);
  return summarise(modules[0]?.findings ?? [], incomparable[0]?.reason);
}
