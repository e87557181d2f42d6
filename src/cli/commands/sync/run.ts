import { exitOf } from "../../../crawl/night/summary.ts";
import { sync } from "../../../crawl/night/sync.ts";
import type { SyncRequest, VersionRequest } from "../../../crawl/night/tonight.ts";
import type { RecordCadence } from "../../../crawl/targets/targets.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { openIfThere } from "../../../work/store.ts";
import { targetQueries } from "../../../work/targets/targets.ts";
import type { Io } from "../../io.ts";
import { type Ended, notifyOfRun } from "../../jobs/notify.ts";
import { readAccountsOption, scopeNote } from "../../options/accounts-option.ts";
import { type NodeChoice, pacesOf } from "../../options/node-options.ts";
import { type NodeSession, openRun, runWithNode } from "../../options/node-session.ts";
import type { AgeFlags, NotifyFlags, RunFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine } from "../../output/progress-line.ts";
import { dryRunResult, snapshotResult } from "./result.ts";
import { dryRunText, summaryText } from "./text.ts";

export type SyncFlags = RunFlags &
  NotifyFlags &
  AgeFlags & {
    readonly account?: readonly Address[];
    readonly targets?: string;
    readonly ledgerVersion: VersionRequest;
    readonly lag?: bigint;
    readonly crossCheck: number;
    readonly retryGaps: number;
    readonly records?: RecordCadence;
    readonly dryRun?: boolean;
  };

export async function runSync(io: Io, flags: SyncFlags): Promise<ExitName> {
  const scope = await readAccountsOption(flags, io);
  return runWithNode(io, flags, (session) => {
    const request = requestOf(flags, scope, session.choice);
    if (flags.dryRun) return planNight(session, flags, request);
    return notifyOfRun({ io, log: session.log, flags, command: "sync", database: flags.db }, () => readNight(session, flags, request));
  });
}

function requestOf(flags: SyncFlags, scope: SyncRequest["scope"], { pace }: NodeChoice): SyncRequest {
  const { maxRequests, maxDuration, maxAge } = flags;
  const isLimited = maxRequests !== undefined || maxDuration !== undefined;
  return {
    version: flags.ledgerVersion,
    lag: flags.lag ?? BigInt(pace.lag),
    scope,
    crossCheck: flags.crossCheck,
    gapTries: flags.retryGaps,
    records: flags.records,
    halfLifeMs: flags.halfLife,
    ...(isLimited && { budget: { maxRequests, maxDurationMs: maxDuration, perSecond: pace.rate } }),
    ...(maxAge !== undefined && { maxAgeMs: maxAge }),
  };
}

async function planNight({ io, log, node, choice, stop }: NodeSession, flags: SyncFlags, request: SyncRequest): Promise<ExitName> {
  const paces = pacesOf(choice, flags);
  await using store = await openIfThere(flags.db);
  const { dryRun } = await import("../../../crawl/night/dry-run.ts");
  const plan = await dryRun({ node, engine: store?.engine, clock: io.clock, log, stop, pageSize: flags.pageSize }, request, paces);
  await io.stdout(flags.json ? jsonLine(dryRunResult.print(plan)) : dryRunText(plan));
  return "done";
}

async function readNight(session: NodeSession, flags: SyncFlags, request: SyncRequest): Promise<Ended> {
  const { io, log, stop } = session;
  await using run = await openRun("sync", flags, session);
  using report = snapshotProgressLine(io, log);
  const summaries = await sync({ ...run.work, report: report.show }, request);
  report.end();
  // A first snapshot changed nothing.
  if (summaries.length > 1 || summaries[0]?.isFirst !== true) {
    const { judgeAfter } = await import("../../jobs/judge.ts");
    await judgeAfter(run.work.engine, flags.db, io, log, stop.signal);
  }
  const isListed = request.scope === undefined && (await targetQueries(run.work.engine).hasTargets());
  for (const summary of summaries) {
    await io.stdout(flags.json ? jsonLine(snapshotResult.print(summary)) : summaryText(summary, flags.db, isListed));
  }
  if (!flags.json) await io.stdout(scopeNote(flags));
  return { exit: exitOf(summaries), summary: { snapshots: summaries.map(snapshotResult.print) } };
}
