import { type Severity, severities } from "../../abi/compare/severity.ts";

/** How bad a change is; `unclear` where its two sides could not be compared, which may be the worst. */
export type ChangeSeverity = Severity | "unclear";

/** Changes by how bad they are, in this order; levels without any are left out. */
export type BySeverity = readonly (readonly [level: ChangeSeverity, changes: number])[];

/** What could not be compared stands after what breaks. */
const ORDER: readonly ChangeSeverity[] = ["breaking", "unclear", ...severities.filter((one) => one !== "breaking")];

export function countSeverities(found: readonly ChangeSeverity[]): BySeverity {
  return ORDER.map((level) => [level, found.filter((one) => one === level).length] as const).filter(([, changes]) => changes > 0);
}

/** `2 breaking, 40 safe`. */
export function severityWords(counts: BySeverity): string {
  return counts.map(([level, changes]) => `${changes.toLocaleString("en-US")} ${level}`).join(", ");
}
