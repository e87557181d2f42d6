import { exitOf, type SyncSummary } from "../../../crawl/night/summary.ts";
import { sync } from "../../../crawl/night/sync.ts";
import type { SyncRequest, VersionRequest } from "../../../crawl/night/tonight.ts";
import type { RecordCadence } from "../../../crawl/targets/targets.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { openIfThere } from "../../../work/store.ts";
import { targetQueries } from "../../../work/targets/targets.ts";
import type { Io } from "../../io.ts";
import { notifyOfRun } from "../../jobs/notify.ts";
import { endOfRun, type NodeChoice, type NodeSession, openRun, pacesOf, runWithNode, type Spent } from "../../options/node-session.ts";
import type { AgeFlags, NotifyFlags, RunFlags } from "../../options/shared-flags.ts";
import { readAccountsOption, scopeNote } from "../../options/text-file.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine } from "../../output/progress-line.ts";
import { spent } from "../../output/result-fields.ts";
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

/** What a run came to; `isListed`: the accounts are those of the list. */
export type Synced = { readonly exit: ExitName; readonly summaries: readonly SyncSummary[]; readonly isListed: boolean };

export async function runSync(io: Io, flags: SyncFlags): Promise<ExitName> {
  const end = flags.dryRun ? await planNight(io, flags) : await takeSnapshot(io, flags, (synced) => print(io, flags, synced));
  return endOfRun(io, flags.json, end);
}

/** As a step of the night, which has the end of the last snapshot. */
export const step = {
  run: (io: Io, flags: SyncFlags) => takeSnapshot(io, flags),
  print: (end: Synced | Spent) => ("spent" in end ? spent.print(end.spent) : snapshotResult.print(end.summaries.at(-1) as SyncSummary)),
};

/** Does what `sync` does. `show` is a part of it: a run whose result nobody could take has failed. */
async function takeSnapshot(io: Io, flags: SyncFlags, show?: (synced: Synced) => Promise<void>): Promise<Synced | Spent> {
  const scope = await readAccountsOption(flags, io);
  return runWithNode(io, flags, (session) =>
    notifyOfRun({ io, log: session.log, flags, command: "sync", database: flags.db }, async () => {
      const synced = await readNight(session, flags, requestOf(flags, scope, session.choice));
      await show?.(synced);
      return { ...synced, summary: { snapshots: synced.summaries.map(snapshotResult.print) } };
    }),
  );
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

async function planNight(io: Io, flags: SyncFlags): Promise<{ readonly exit: "done" } | Spent> {
  const scope = await readAccountsOption(flags, io);
  return runWithNode(io, flags, async ({ log, node, choice, stop }) => {
    await using store = await openIfThere(flags.db);
    const { dryRun } = await import("../../../crawl/night/dry-run.ts");
    const work = { node, engine: store?.engine, clock: io.clock, log, stop, pageSize: flags.pageSize };
    const plan = await dryRun(work, requestOf(flags, scope, choice), pacesOf(choice, flags));
    await io.stdout(flags.json ? jsonLine(dryRunResult.print(plan)) : dryRunText(plan));
    return { exit: "done" } as const;
  });
}

async function readNight(session: NodeSession, flags: SyncFlags, request: SyncRequest): Promise<Synced> {
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
  return { exit: exitOf(summaries), summaries, isListed };
}

async function print(io: Io, flags: SyncFlags, { summaries, isListed }: Synced): Promise<void> {
  for (const summary of summaries)
    await io.stdout(flags.json ? jsonLine(snapshotResult.print(summary)) : summaryText(summary, flags.db, isListed));
  if (!flags.json) await io.stdout(scopeNote(flags));
}
