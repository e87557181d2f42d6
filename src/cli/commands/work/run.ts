import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { type WorkerSummary, workAlong } from "../../../crawl/workers/work.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import { ConfigError } from "../../../errors.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Io } from "../../io.ts";
import { openRun, withNode } from "../../options/node-session.ts";
import type { RunFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine, traceProgressLine } from "../../output/progress-line.ts";
import { summaryResult } from "./result.ts";

/** Runs `work`. To be told to stop is how it ends, so that is `done`. */
export async function runWork(io: Io, flags: RunFlags): Promise<ExitName> {
  if (!databaseAt(flags.db).isShareable) {
    throw new ConfigError(
      `workers share a PostgreSQL database, and \`${printable(flags.db, 200)}\` is a file. Give --db postgres://user@host/database.`,
    );
  }
  return withNode(io, flags, async (session): Promise<ExitName> => {
    await using run = await openRun("work", flags, session);
    using report = snapshotProgressLine(io, session.log);
    using tracing = traceProgressLine(io, session.log);
    const summary = await workAlong({ ...run.work, report: report.show, reportTrace: tracing.show });
    report.end();
    await io.stdout(flags.json ? jsonLine(summaryResult.print(summary)) : workText(summary));
    return "done";
  });
}

function workText({ ledgerVersions, traces, requests, durationMs }: WorkerSummary): string {
  const read =
    ledgerVersions.length === 0
      ? "no snapshot was open"
      : `read parts of ${plural(ledgerVersions.length, "snapshot")}: ${ledgerVersions.join(", ")}`;
  const traced = traces === 0 ? "" : `; searched parts of ${plural(traces, "trace")}`;
  return `${read}${traced}\n  ${plural(requests, "request")} in ${formatDuration(durationMs)}\n`;
}
