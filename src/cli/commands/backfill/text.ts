import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time.ts";
import type { BackfillSummary } from "../../../crawl/backfill/backfill.ts";
import type { BackfillPlan } from "../../../crawl/backfill/backfill-plan.ts";
import type { WantedVersion } from "../../../crawl/backfill/backfill-points.ts";
import type { Refusal } from "../../../crawl/backfill/jobs.ts";
import type { BackfillPoint, PointState } from "../../../work/runs/backfill.ts";

const states = ["observed", "inferred", "gaps", "refused", "planned", "lost"] as const satisfies readonly PointState[];

export function backfillText({ points, requests, durationMs, lostNow, stoppedBy }: BackfillSummary): string {
  const lines = points.map((point) => `${pointText(point)}: ${stateText(point)}`);
  const sum = states.flatMap((state) => {
    const count = points.filter((point) => point.state === state).length;
    return count === 0 ? [] : [`${count} ${state}`];
  });
  lines.push(
    `${plural(points.length, "version")}: ${sum.join(", ") || "none"}; ${plural(requests, "request")} in ${formatDuration(durationMs)}`,
  );
  if (lostNow > 0) lines.push(`${plural(lostNow, "version")} lost in this run, whole or in part`);
  if (stoppedBy === "budget") lines.push("the budget of this run is spent; the same command continues");
  return `${lines.join("\n")}\n`;
}

function pointText({ version, wantedTime, timeErrorMs }: WantedVersion): string {
  if (wantedTime === null) return `ledger version ${version}`;
  const about = timeErrorMs === null || timeErrorMs < 1000 ? "" : `, give or take ${formatDuration(timeErrorMs)}`;
  return `ledger version ${version} (${new Date(wantedTime).toISOString().replace(/:00\.000Z$/, "Z")}${about})`;
}

function stateText({ state, reason, accountsRead, accountsInferred }: BackfillPoint): string {
  const inferred = accountsInferred === 0 ? "" : `, ${accountsInferred} inferred`;
  switch (state) {
    case "observed":
      return `${plural(accountsRead, "account")} read${inferred}`;
    case "gaps":
      return `${plural(accountsRead, "account")} read${inferred}, the rest are gaps`;
    case "inferred":
      return `${plural(accountsInferred, "account")} inferred, none had to be read`;
    case "planned":
      return "not begun, or not finished; the same command continues it";
    case "refused":
    case "lost":
      return `${state}: ${printable(reason ?? "", 300)}`;
  }
}

const refusals: Record<Refusal, string> = {
  pruned: "pruned already",
  time: "cannot be saved: it would be pruned before it is read",
  budget: "left for another run: the request budget ends first",
};

export function backfillPlanText(plan: BackfillPlan): string {
  const lines = plan.points.map((point) => {
    const why = plan.refused.get(point.version);
    const what =
      point.accounts === 0
        ? "held or inferred, nothing to read"
        : why === undefined
          ? `would read ${plural(point.accounts, "account")}`
          : refusals[why];
    return `${pointText(point)}: ${what}`;
  });
  const { requests, durationMs, snapshots } = plan;
  const time = durationMs === undefined ? "" : `, ${formatDuration(durationMs)} at this rate`;
  lines.push(`${plural(snapshots, "snapshot")}, about ${plural(requests, "request")}${time}; fewer if both sides turn out equal`);
  lines.push("dry run: nothing was written");
  return `${lines.join("\n")}\n`;
}
