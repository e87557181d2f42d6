import { compareSeverities, type Severity } from "../../changes/compare/severity.ts";
import type { WatchLevel } from "../receivers.ts";

/** Whether something as bad as this is to be told of from a level on. What could not be compared may be the worst. */
export function reachesLevel(severity: Severity | "unclear", level: WatchLevel): boolean {
  return level === "any" || severity === "unclear" || compareSeverities(severity, level) <= 0;
}
