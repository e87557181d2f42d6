import type { RuleFinding } from "./finding.ts";
import type { Rename } from "./renames.ts";
import { type Audience, audiences, type Severity, severityCounts, worstOf, worstSeverity } from "./severity.ts";

/** A change of a module in short: how bad it is, for whom, and by what. Follows from the bytes before and after, and from the rules. */
export type ChangeSummary = {
  /** Undefined when the two could not be compared; then `reason` says why. */
  readonly worst: Severity | undefined;
  readonly forAudience: Readonly<Partial<Record<Audience, Severity>>>;
  readonly counts: Readonly<Record<Severity, number>>;
  /** Findings for which the VM would refuse an upgrade. */
  readonly refused: number;
  /** The worst finding of all. */
  readonly first: Pick<RuleFinding, "rule" | "item"> | undefined;
  readonly reason: string | undefined;
  readonly renamed: readonly Rename[];
};

/** The findings of one module in short, the worst first. */
export function summarise(findings: readonly RuleFinding[], reason: string | undefined, renamed: readonly Rename[]): ChangeSummary {
  const found = findings.map(({ severity }) => worstSeverity(severity) ?? "silent");
  const forAudience = Object.fromEntries(
    audiences.flatMap((audience) => {
      const worst = worstOf(findings.flatMap(({ severity }) => severity[audience] ?? []));
      return worst === undefined ? [] : [[audience, worst]];
    }),
  );
  return {
    worst: worstOf(found),
    forAudience,
    counts: severityCounts(found),
    refused: findings.filter(({ upgrade }) => upgrade === "refused").length,
    first: findings[0],
    reason,
    renamed,
  };
}
