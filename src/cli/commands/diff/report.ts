import type { ModuleDifference } from "../../../abi/compare/difference.ts";
import type { RuleFinding } from "../../../abi/compare/finding.ts";
import { type Audience, type Severities, type Severity, severities, worstSeverity } from "../../../abi/compare/severity.ts";
import type { Comparison } from "../../../abi/compare/sides.ts";
import type { WeighedFinding } from "../../../abi/compare/usage.ts";

/** A finding with its worst severity for those who were asked about. */
export type ReportedFinding = WeighedFinding & { readonly worst: Severity };

/** What changed about one module, as it is reported. */
export type ReportedModule = Omit<ModuleDifference, "findings"> & { readonly findings: readonly ReportedFinding[] };

/** All that `diff` tells, whatever the format. */
export type DiffReport = Pick<Comparison, "before" | "after" | "unchanged" | "incomparable"> & {
  /** Those with the worst findings first, else in the order of accounts and names. */
  readonly modules: readonly ReportedModule[];
  /** Findings by severity. */
  readonly counts: Readonly<Record<Severity, number>>;
  /** How bad a finding has to be to fail the comparison; undefined when none does. */
  readonly failOn: Severity | undefined;
  /** Where users were looked for, when they were. */
  readonly usage: Usage | undefined;
};

/** Where users were looked for: a snapshot, how many accounts it has an answer about, and how many it was asked about in vain. */
export type Usage = { readonly version: bigint; readonly accounts: number; readonly gaps: number };

/** Makes the report: findings that concern nobody who was asked about are left out, and modules without any others with them. */
export async function makeReport(
  comparison: Comparison,
  weigh: (module: ModuleDifference, finding: RuleFinding) => Promise<WeighedFinding>,
  options: {
    readonly audiences: readonly Audience[] | undefined;
    readonly failOn: Severity | undefined;
    readonly usage: Usage | undefined;
  },
): Promise<DiffReport> {
  const modules: ReportedModule[] = [];
  for (const difference of comparison.differences) {
    const findings: ReportedFinding[] = [];
    for (const finding of difference.findings) {
      const weighed = await weigh(difference, finding);
      const worst = worstSeverity(weighed.severity, options.audiences);
      if (worst !== undefined) findings.push({ ...weighed, severity: heard(weighed.severity, options.audiences), worst });
    }
    if (findings.length > 0) modules.push({ ...difference, findings });
  }
  const worst = ({ findings }: ReportedModule): number => Math.min(...findings.map((finding) => severities.indexOf(finding.worst)));
  modules.sort((a, b) => worst(a) - worst(b));
  const counts: Record<Severity, number> = { breaking: 0, dangerous: 0, safe: 0, silent: 0 };
  for (const { findings } of modules) for (const { worst } of findings) counts[worst] += 1;
  const { before, after, unchanged, incomparable } = comparison;
  return { before, after, unchanged, incomparable, modules, counts, failOn: options.failOn, usage: options.usage };
}

/** Whether a finding is bad enough to fail the comparison. */
export function isFailing({ failOn }: Pick<DiffReport, "failOn">, { worst }: ReportedFinding): boolean {
  return failOn !== undefined && severities.indexOf(worst) <= severities.indexOf(failOn);
}

function heard(found: Severities, audiences: readonly Audience[] | undefined): Severities {
  if (audiences === undefined) return found;
  return Object.fromEntries(Object.entries(found).filter(([audience]) => audiences.includes(audience as Audience)));
}
