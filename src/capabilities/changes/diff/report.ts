import { grouped, plural } from "../../../core/base/plural.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import type { ModuleDifference } from "../compare/difference.ts";
import type { RuleFinding } from "../compare/finding.ts";
import {
  type Audience,
  compareSeverities,
  type FailLevel,
  isFailure,
  type Severities,
  type Severity,
  severities,
  severityCounts,
  worstOf,
  worstSeverity,
} from "../compare/severity.ts";
import type { Comparison } from "../compare/sides.ts";
import type { WeighedFinding } from "../compare/usage.ts";
import type { Carried } from "./carried.ts";

export type ReportedFinding = WeighedFinding & { readonly worst: Severity };

export type ReportedModule = Omit<ModuleDifference, "findings"> & { readonly findings: readonly ReportedFinding[] };

/** The result of `diff`, independent of the output format. */
export type DiffReport = Pick<Comparison, "before" | "after" | "unchanged" | "incomparable"> & {
  /** Those with the worst findings first, else in the order of accounts and names. */
  readonly modules: readonly ReportedModule[];
  readonly counts: Readonly<Record<Severity, number>>;
  /** Findings for which the VM would refuse an upgrade. */
  readonly refused: number;
  /** A finding at this level or worse fails the comparison; undefined if none does. */
  readonly failOn: FailLevel | undefined;
  /** Where users were searched; undefined where the older side is no snapshot. */
  readonly usage: Usage | undefined;
  /** What changes of some modules carry into others, where that was looked for. */
  readonly carried: Carried | undefined;
};

/** Where users were searched: a snapshot, the number of accounts that it covers, and of those without an answer. */
export type Usage = { readonly version: bigint; readonly accounts: number; readonly gaps: number };

/** Makes the report. Findings that concern none of the chosen audiences are left out, and modules without other findings. */
export async function makeReport(
  comparison: Comparison,
  weigh: (module: ModuleId, finding: RuleFinding) => Promise<WeighedFinding>,
  {
    audiences,
    failOn,
    usage,
    carried,
  }: { readonly audiences?: readonly Audience[] | undefined } & Partial<Pick<DiffReport, "failOn" | "usage" | "carried">>,
): Promise<DiffReport> {
  const modules: ReportedModule[] = [];
  for (const difference of comparison.differences) {
    const findings: ReportedFinding[] = [];
    for (const finding of difference.findings) {
      const weighed = await weigh(difference.module, finding);
      const worst = worstSeverity(weighed.severity, audiences);
      if (worst !== undefined) findings.push({ ...weighed, severity: ofAudiences(weighed.severity, audiences), worst });
      // An upgrade that is refused is refused for every audience.
      else if (failOn === "refused" && weighed.upgrade === "refused")
        findings.push({ ...weighed, worst: worstSeverity(weighed.severity) ?? "silent" });
    }
    // Weighed, a finding may be of less weight than it was found with.
    if (findings.length > 0) modules.push({ ...difference, findings: findings.toSorted((a, b) => compareSeverities(a.worst, b.worst)) });
  }
  modules.sort((a, b) => compareSeverities(worstIn(a), worstIn(b)));
  const findings = modules.flatMap((module) => module.findings);
  const { before, after, unchanged, incomparable } = comparison;
  const counts = severityCounts(findings.map((finding) => finding.worst));
  const refused = findings.filter(({ upgrade }) => upgrade === "refused").length;
  return { before, after, unchanged, incomparable, modules, counts, refused, failOn, usage, carried };
}

export function worstIn({ findings }: Pick<ReportedModule, "findings">): Severity {
  return worstOf(findings.map(({ worst }) => worst)) ?? "silent";
}

/** Whether anything fails the comparison: a finding, or what is carried from other modules. */
export function fails(report: DiffReport): boolean {
  return (isCarriedFailing(report) && (report.carried?.changes ?? []).length > 0) || hasFailing(report);
}

export function hasFailing(report: DiffReport): boolean {
  return report.modules.some(({ findings }) => findings.some((finding) => isFailing(report, finding)));
}

/** Whether what is carried from other modules fails the comparison: it is behaviour. */
export function isCarriedFailing({ failOn }: Pick<DiffReport, "failOn">): boolean {
  return isFailure("behaviour", failOn);
}

/** Whether a finding fails the comparison. A change that the VM refuses is worse than any other, whomever it concerns. */
export function isFailing({ failOn }: Pick<DiffReport, "failOn">, { worst, upgrade }: ReportedFinding): boolean {
  return (failOn !== undefined && upgrade === "refused") || isFailure(worst, failOn);
}

function ofAudiences(found: Severities, audiences: readonly Audience[] | undefined): Severities {
  if (audiences === undefined) return found;
  return Object.fromEntries(Object.entries(found).filter(([audience]) => audiences.includes(audience as Audience)));
}

/** How bad a change is; `unclear` where its two sides could not be compared, which may be the worst. */
export type ChangeSeverity = Severity | "unclear";

/** Changes by how bad they are, in this order; levels without any are left out. */
export type BySeverity = readonly (readonly [level: ChangeSeverity, changes: number])[];

/** What could not be compared stands after what breaks. */
const ORDER: readonly ChangeSeverity[] = ["breaking", "unclear", ...severities.filter((one) => one !== "breaking")];

export function countSeverities(found: readonly ChangeSeverity[]): BySeverity {
  return ORDER.map((level) => [level, found.filter((one) => one === level).length] as const).filter(([, changes]) => changes > 0);
}

/** `2 modules break somebody, 9 may, 213 do not`: each module by its worst change. What could not be compared may. */
export function headlineOf(changes: Iterable<readonly [module: string, level: ChangeSeverity]>): string {
  const worst = new Map<string, ChangeSeverity>();
  for (const [module, level] of changes) if (ORDER.indexOf(level) <= ORDER.indexOf(worst.get(module) ?? level)) worst.set(module, level);
  const count = (...levels: readonly ChangeSeverity[]): number => [...worst.values()].filter((level) => levels.includes(level)).length;
  const breaking = count("breaking");
  const first = breaking === 0 ? "No module breaks anybody" : `${plural(breaking, "module breaks", "modules break")} somebody`;
  const [may, none] = [count("unclear", "dangerous", "behaviour"), count("safe", "silent")].map((one) => grouped(one));
  return `${first}, ${may} may, ${none} ${none === "1" ? "does" : "do"} not`;
}
