import type { Log } from "../../base/log.ts";
import { formatDuration } from "../../base/time/duration.ts";
import type { Means, RefusedJob } from "./deadlines.ts";

/** Why a version that can still be read is not going to be, in words for the record. */
export function refusalText({ job, why }: RefusedJob, means: Means): string {
  if (why === "budget") return "the budget of this run ends first; another run may read it";
  const need = formatDuration(job.requests * means.msPerRequest);
  const left = formatDuration(means.leftMs(job.version)?.expected ?? 0);
  return `reading it takes about ${need} after what comes first, and it is unreadable in about ${left}`;
}

export function announceRefusals(refused: readonly RefusedJob[], log: Log): void {
  const count = (why: RefusedJob["why"]): number => refused.filter((refusal) => refusal.why === why).length;
  const facts = { pruned: count("pruned"), too_late: count("time"), over_budget: count("budget") };
  const unsaved = facts.pruned + facts.too_late;
  if (unsaved > 0) {
    const message = `${unsaved} of the versions asked for cannot be saved: ${facts.pruned} are pruned, ${facts.too_late} would be before they are read`;
    log("warn", message, facts);
  }
  if (facts.over_budget > 0) {
    log("info", `${facts.over_budget} versions are left for another run: the request budget ends first`, facts);
  }
}
