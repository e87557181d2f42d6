import type { RecordCadence } from "../../../crawl/cadence/record-cadence.ts";
import { dryRun } from "../../../crawl/night/dry-run.ts";
import type { VersionRequest } from "../../../crawl/night/pin.ts";
import { exitOf, summaryJson } from "../../../crawl/night/summary.ts";
import { type SyncRequest, sync } from "../../../crawl/night/sync.ts";
import type { ExitName } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { openIfThere } from "../../../work/store.ts";
import type { Io } from "../../io.ts";
import { judgeAfter } from "../../jobs/judge.ts";
import { type Ended, notifyOfRun } from "../../jobs/notify.ts";
import type { NotifyFlags } from "../../jobs/notify-options.ts";
import { readAccountsOption, scopeNote } from "../../options/accounts-option.ts";
import type { ChoiceFlags } from "../../options/choice-options.ts";
import { chooseNode, type NodeChoice, type NodeFlags, pacesOf } from "../../options/node-options.ts";
import { runWithNode } from "../../options/node-session.ts";
import { type RunRequest, withRunStore } from "../../options/run-store.ts";
import { jsonLine } from "../../output/json-line.ts";
import { snapshotProgressLine } from "../../output/progress-line.ts";
import { dryRunJson, dryRunText, summaryText } from "./text.ts";

export type SyncFlags = NodeFlags &
  NotifyFlags &
  ChoiceFlags & {
    readonly db: string;
    readonly account?: readonly Address[];
    readonly targets?: string;
    readonly ledgerVersion: VersionRequest;
    readonly lag?: bigint;
    readonly crossCheck: number;
    readonly retryGaps: number;
    readonly records?: RecordCadence;
    readonly lease?: number;
    readonly unlessWithin?: number;
    readonly dryRun?: boolean;
    readonly json?: boolean;
  };

type SyncSession = Omit<RunRequest, "command" | "flags"> & { readonly flags: SyncFlags; readonly request: SyncRequest };

export async function runSync(io: Io, flags: SyncFlags): Promise<ExitName> {
  const { db: path } = flags;
  const scope = await readAccountsOption(flags, io);
  const choice = chooseNode(flags, io);
  const request = {
    version: flags.ledgerVersion,
    lag: flags.lag ?? BigInt(choice.pace.lag),
    scope,
    crossCheck: flags.crossCheck,
    gapTries: flags.retryGaps,
    unlessWithinMs: flags.unlessWithin,
    records: flags.records,
    ...budgetOf(flags, choice),
  };
  return runWithNode(choice, flags, io, (session) => {
    const run = { ...session, flags, io, choice, path, request };
    if (flags.dryRun) return planNight(run);
    return notifyOfRun({ io, log: session.log, flags, command: "sync", database: path }, () => readNight(run));
  });
}

/** What the flags let a run use; nothing where they do not limit it. */
function budgetOf(
  { maxRequests, maxDuration, maxAge, halfLife }: SyncFlags,
  { pace }: NodeChoice,
): Pick<SyncRequest, "budget" | "maxAgeMs" | "halfLifeMs"> {
  const isLimited = maxRequests !== undefined || maxDuration !== undefined;
  return {
    ...(isLimited ? { budget: { maxRequests, maxDurationMs: maxDuration, perSecond: pace.rate } } : {}),
    ...(maxAge === undefined ? {} : { maxAgeMs: maxAge }),
    halfLifeMs: halfLife,
  };
}

async function planNight({ flags, io, log, node, path, request, choice, stop }: SyncSession): Promise<ExitName> {
  const paces = pacesOf(choice, flags);
  await using store = await openIfThere(path);
  const plan = await dryRun({ node, store, clock: io.clock, log, stop, pageSize: flags.pageSize }, request, paces);
  await io.stdout(flags.json ? jsonLine(dryRunJson(plan)) : dryRunText(plan));
  return "done";
}

async function readNight(run: SyncSession): Promise<Ended> {
  const { flags, io, log, path, request } = run;
  return withRunStore({ ...run, command: "sync" }, async (surroundings) => {
    using report = snapshotProgressLine(io, log);
    const summaries = await sync({ ...surroundings, report: report.show }, request);
    report.end();
    await judgeAfter(surroundings.store, path, io, log, run.stop.signal);
    for (const summary of summaries) {
      await io.stdout(flags.json ? jsonLine(summaryJson(summary)) : summaryText(summary, path));
    }
    if (!flags.json) await io.stdout(scopeNote(flags));
    return { exit: exitOf(summaries), summary: { snapshots: summaries.map(summaryJson) } };
  });
}
