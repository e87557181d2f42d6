import { LEAST_REQUESTS } from "../../../crawl/night/fate.ts";
import { exitOf, type SyncSummary } from "../../../crawl/night/summary.ts";
import { sync } from "../../../crawl/night/sync.ts";
import type { SyncRequest, VersionRequest } from "../../../crawl/night/tonight.ts";
import type { RecordCadence } from "../../../crawl/targets/targets.ts";
import { type ExitName, gravest } from "../../../exit-codes.ts";
import type { Address } from "../../../move/address.ts";
import { openIfThere } from "../../../work/store.ts";
import { accountsOf, followSeal, notifyOfRun, requireOutputs, scopeNote } from "../../hooks.ts";
import { type Io, openLog } from "../../io.ts";
import type { AgeFlags, RunFlags } from "../../options/declared-command.ts";
import { type NodeChoice, type NodeSession, openRun, pacesOf, withNode } from "../../options/node-session.ts";
import { snapshotProgressLine } from "../../output/progress-line.ts";
import type { Synced } from "./result.ts";
import { dryRunText, summaryText } from "./text.ts";

export type SyncFlags = RunFlags &
  AgeFlags & {
    readonly account?: readonly Address[];
    readonly targets?: string;
    readonly ledgerVersion: VersionRequest;
    readonly lag?: bigint;
    readonly retryGaps: number;
    readonly records?: RecordCadence;
    readonly dryRun?: boolean;
  };

/** What `--json` prints, loaded where that is asked for. */
const results = () => import("./result.ts");

export async function runSync(io: Io, flags: SyncFlags): Promise<ExitName> {
  if (!flags.dryRun) return (await takeSnapshot(io, flags, (synced) => print(io, flags, synced))).exit;
  await planNight(io, flags);
  return "done";
}

/** Tells others of a run whose settings are refused. @throws `refused` */
export async function tellRefused(io: Io, flags: SyncFlags, refused: unknown): Promise<void> {
  const run = { io, log: openLog(io), flags, command: "sync", database: flags.db };
  if (!flags.dryRun) await notifyOfRun(run, () => Promise.reject(refused));
}

/** Does what `sync` does. `show` is a part of it: a run whose result nobody could take has failed. */
export async function takeSnapshot(io: Io, flags: SyncFlags, show?: (synced: Synced) => Promise<void>): Promise<Synced> {
  const scope = await accountsOf(flags, io);
  return withNode(io, flags, (session) => {
    const run = { io, log: session.log, flags, command: "sync", database: flags.db };
    return notifyOfRun(run, async (begin) => {
      const request = requestOf(io, flags, scope, session.choice);
      const synced = await readNight(session, flags, request, begin).catch((error) => {
        throw session.stop.explain(error, session.node.failures());
      });
      await show?.(synced);
      const summary = async () => ({ snapshots: synced.summaries.map((await results()).snapshotResult.print) });
      // The log has said why. A step of a night leaves that to the night.
      const isUntold = show !== undefined && (await requireOutputs(run)).length > 0;
      return { ...synced, exit: gravest([synced.exit, isUntold ? "failed" : undefined]), summary };
    });
  });
}

/** A budget that suffices for a first night of few accounts may not suffice for a later one, so it is no error. */
function warnOfBudget(io: Io, maxRequests: number | undefined): void {
  if (maxRequests === undefined || maxRequests >= LEAST_REQUESTS) return;
  io.stderr(
    `movedex: --max-requests ${maxRequests} may seal no snapshot: the first questions of a run take up to 5 requests, an account 2, and 1 is kept to tell an account's failure from the node's. Give at least ${LEAST_REQUESTS}.\n`,
  );
}

function requestOf(io: Io, flags: SyncFlags, scope: SyncRequest["scope"], { pace }: NodeChoice): SyncRequest {
  const { maxRequests, maxDuration, maxAge } = flags;
  warnOfBudget(io, maxRequests);
  const isLimited = maxRequests !== undefined || maxDuration !== undefined;
  return {
    version: flags.ledgerVersion,
    lag: flags.lag ?? BigInt(pace.lag),
    scope,
    gapTries: flags.retryGaps,
    records: flags.records,
    chooser: io.chooseTargets,
    ...(isLimited && { budget: { maxRequests, maxDurationMs: maxDuration, perSecond: pace.rate } }),
    ...(maxAge !== undefined && { maxAgeMs: maxAge }),
  };
}

async function planNight(io: Io, flags: SyncFlags): Promise<void> {
  const scope = await accountsOf(flags, io);
  return withNode(io, flags, async ({ log, node, choice, stop }) => {
    await using store = await openIfThere(flags.db);
    const { dryRun } = await import("../../../crawl/night/dry-run.ts");
    const work = { node, engine: store?.engine, clock: io.clock, log, stop, pageSize: flags.pageSize };
    const plan = await dryRun(work, requestOf(io, flags, scope, choice), pacesOf(choice, flags));
    const { jsonLine } = await import("../../output/json-line.ts");
    await io.stdout(flags.json ? jsonLine((await results()).dryRunResult.print(plan)) : dryRunText(plan));
  });
}

async function readNight(session: NodeSession, flags: SyncFlags, request: SyncRequest, begin: () => Promise<void>): Promise<Synced> {
  const { io, log, stop } = session;
  const begunMs = io.clock.monotonic();
  await using run = await openRun("sync", flags, session);
  await begin();
  using report = snapshotProgressLine(io, log);
  const summaries = await sync({ ...run.work, report: report.show }, request);
  report.end();
  // A first snapshot changed nothing.
  if (summaries.length > 1 || summaries[0]?.isFirst !== true) {
    await followSeal(io, { engine: run.work.engine, path: flags.db, log, signal: stop.signal });
  }
  return { exit: exitOf(summaries), summaries: addRest(summaries, io.clock.monotonic() - begunMs) };
}

/** Counts what no snapshot counts, such as the judging of changes, with the last one, so that all add up to what the run took. */
function addRest(summaries: readonly SyncSummary[], wholeMs: number): SyncSummary[] {
  const rest = wholeMs - summaries.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return summaries.map((summary, i) => (i < summaries.length - 1 ? summary : { ...summary, durationMs: summary.durationMs + rest }));
}

async function print(io: Io, flags: SyncFlags, { summaries }: Synced): Promise<void> {
  if (flags.json) {
    const { printJson } = await import("../../output/json-line.ts");
    const { snapshotResult } = await results();
    for (const summary of summaries) await printJson(io, snapshotResult.print(summary));
    return;
  }
  for (const summary of summaries) await io.stdout(summaryText(summary, flags.db));
  await io.stdout(scopeNote(flags));
}
