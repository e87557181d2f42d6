import { type Severity, severities } from "../../abi/compare/severity.ts";
import { plural } from "../../base/plural.ts";

/** How bad a change is; `unclear` where its two sides could not be compared, which may be the worst. */
export type ChangeSeverity = Severity | "unclear";

/** Changes by how bad they are, in this order; levels without any are left out. */
export type BySeverity = readonly (readonly [level: ChangeSeverity, changes: number])[];

/** What could not be compared stands after what breaks. */
const ORDER: readonly ChangeSeverity[] = ["breaking", "unclear", ...severities.filter((one) => one !== "breaking")];

export function countSeverities(found: readonly ChangeSeverity[]): BySeverity {
  return ORDER.map((level) => [level, found.filter((one) => one === level).length] as const).filter(([, changes]) => changes > 0);
}

/** `2 modules break somebody, 9 may, 213 do not`. What could not be compared may. */
export function headlineOf(counts: BySeverity): string {
  const count = (...levels: readonly ChangeSeverity[]): number =>
    counts.reduce((sum, [level, changes]) => sum + (levels.includes(level) ? changes : 0), 0);
  const breaking = count("breaking");
  const first = breaking === 0 ? "No module breaks anybody" : `${plural(breaking, "module breaks", "modules break")} somebody`;
  const [may, none] = [count("unclear", "dangerous", "behaviour"), count("safe", "silent")].map((one) => one.toLocaleString("en-US"));
  return `${first}, ${may} may, ${none} ${none === "1" ? "does" : "do"} not`;
}
