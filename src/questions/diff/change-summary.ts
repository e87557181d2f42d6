import type { RuleFinding } from "../../abi/compare/finding.ts";
import { type Audience, audiences, type Severity, worstSeverity } from "../../abi/compare/severity.ts";
import { compareSides } from "../../abi/compare/sides.ts";
import type { WeighedFinding } from "../../abi/compare/usage.ts";
import type { ModuleChange } from "../../archive/read/changes.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { sideOf } from "./breaks.ts";
import { type DiffReport, makeReport, type ReportedFinding } from "./report.ts";

/** A change in short: how bad it is, for whom, and by what. */
export type ChangeSummary = {
  /** Undefined when the two could not be compared; then `reason` says why. */
  readonly worst: Severity | undefined;
  readonly forAudience: Readonly<Partial<Record<Audience, Severity>>>;
  readonly counts: DiffReport["counts"];
  readonly refused: number;
  /** The worst finding of all. */
  readonly first: ReportedFinding | undefined;
  readonly reason: string | undefined;
};

/** What names a change of a module: who, from what, to what. */
export type ChangedModule = Pick<ModuleChange, "address" | "module" | "from" | "to">;

/** Compares a module before and after a change, by the rules of `diff`; for these audiences (all if undefined), each finding weighed. */
export async function compareChange(
  archive: ModuleArchive,
  { address, module, from, to }: ChangedModule,
  audiences?: readonly Audience[],
  weigh: (finding: RuleFinding) => Promise<WeighedFinding> = async (finding) => finding,
): Promise<DiffReport> {
  const side = (label: string, sha256: string | null) => sideOf(archive, label, sha256 === null ? [] : [{ address, name: module, sha256 }]);
  const comparison = await compareSides(side("before", from), side("after", to));
  return makeReport(comparison, (_, finding) => weigh(finding), { audiences, failOn: undefined, usage: undefined });
}

/** A comparison of one module in short. */
export function summarise({ modules: [module], counts, refused, incomparable }: DiffReport): ChangeSummary {
  const findings = module?.findings ?? [];
  const forAudience = Object.fromEntries(
    audiences.flatMap((audience) => {
      const levels = findings.flatMap(({ severity }) => severity[audience] ?? []);
      const worst = worstOf(levels);
      return worst === undefined ? [] : [[audience, worst]];
    }),
  );
  return {
    worst: worstOf(findings.map(({ worst }) => worst)),
    forAudience,
    counts,
    refused,
    first: findings[0],
    reason: incomparable[0]?.reason,
  };
}

function worstOf(levels: readonly Severity[]): Severity | undefined {
  return levels.reduce<Severity | undefined>(
    (worst, level) => (worst === undefined ? level : worstSeverity({ callers: worst, clients: level })),
    undefined,
  );
}
