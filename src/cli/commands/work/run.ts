import { packageVersion } from "../../../base/files/package-file.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { databasePath } from "../../../config.ts";
import { keepCommonPace } from "../../../crawl/workers/common-pace.ts";
import { type WorkerSummary, workAlong } from "../../../crawl/workers/work.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import { ConfigError } from "../../../errors.ts";
import type { ExitName } from "../../../exit-codes.ts";
import { openStore } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { chooseNode, type NodeFlags } from "../../options/node-options.ts";
import { withNode } from "../../options/node-session.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine, traceProgressLine } from "../../output/progress-line.ts";
import { storeNotice } from "../../output/store-notices.ts";

/** The command line of `work`, parsed. */
export type WorkFlags = NodeFlags & {
  readonly db?: string;
  readonly pageSize?: number;
  readonly maxDuration?: number;
  readonly lease?: number;
  readonly json?: boolean;
};

/** Runs `work`. To be told to stop is how it ends, so that is `done`. */
export async function runWork(flags: WorkFlags, io: Io): Promise<ExitName> {
  const path = databasePath(flags.db, io.env);
  if (!databaseAt(path).isShareable) {
    throw new ConfigError(
      `wanted the address of a PostgreSQL database to share, found \`${printable(path, 200)}\`: a file has one run at a time. Give --db postgres://user@host/database.`,
    );
  }
  const choice = chooseNode(flags, io);
  return withNode(choice, flags, io, async ({ node, stop, log }): Promise<ExitName> => {
    const share = { command: "work", node: node.url, ...(flags.lease === undefined ? {} : { leaseMs: flags.lease }) };
    const store = await openStore(path, {
      mode: "write",
      now: io.clock.now,
      appVersion: packageVersion(),
      onNotice: storeNotice(io),
      share,
    });
    const pace = await keepCommonPace({ store, node, clock: io.clock }, flags.sharedRate);
    const report = snapshotProgressLine(io, log);
    const tracing = traceProgressLine(io, log);
    try {
      const { concurrency } = choice.pace;
      const surroundings = { store, node, clock: io.clock, stop, concurrency, pageSize: flags.pageSize, log };
      const summary = await workAlong({ ...surroundings, report: report.show, reportTrace: tracing.show, appVersion: packageVersion() });
      report.end();
      await io.stdout(flags.json ? jsonLine(workJson(summary)) : workText(summary));
      return "done";
    } finally {
      report.end();
      await pace.end();
      await store.close();
    }
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

function workJson({ ledgerVersions, traces, requests, durationMs }: WorkerSummary): Record<string, unknown> {
  return { ledger_versions: ledgerVersions.map(String), traces, requests, duration_ms: Math.round(durationMs) };
}
