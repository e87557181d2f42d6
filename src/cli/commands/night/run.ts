import { gapQueries } from "../../../archive/snapshots/gaps.ts";
import { readSealedVersions } from "../../../archive/snapshots/snapshot-queries.ts";
import { packageVersion } from "../../../base/files.ts";
import { printable } from "../../../base/printable.ts";
import { isMostlyGaps, type SyncSummary } from "../../../crawl/night/summary.ts";
import { openStop, patienceFor, signalExit, waitWhenBusy } from "../../../crawl/run/run-work.ts";
import type { WhenBusy } from "../../../engine/database.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import type { Engine } from "../../../engine/engine.ts";
import { firstFailure, MovedexError } from "../../../errors.ts";
import { type ExitName, gravest, stoppedByUser } from "../../../exit-codes.ts";
import { watchQueries } from "../../../work/alerts/watches.ts";
import { runQueries } from "../../../work/runs/runs.ts";
import { openStore } from "../../../work/store.ts";
import { type Io, openLog, sayFailure } from "../../io.ts";
import { notifyOfRun, requireReportPlace } from "../../jobs/notify.ts";
import { bringUpToDate, readIfAble } from "../../jobs/store-access.ts";
import type { CommandLine } from "../../movedex-command.ts";
import { chooseNode } from "../../options/node-session.ts";
import { printJson } from "../../output/json-line.ts";
import type { ChangeReport } from "../report/read-report.ts";
import type { SyncFlags } from "../sync/run.ts";
import { brokenLine, nightLine } from "./line.ts";
import { nightResult, planResult, type StepOutcome, stepResult } from "./result.ts";
import { type NightFlags, type NightResults, type NightStep, nightSteps, stepOf } from "./steps.ts";

/** The steps of tonight, and what the database said of earlier nights when they were chosen. */
type Plan = {
  readonly steps: readonly NightStep[];
  /** The newest snapshot of which a report was finished. */
  readonly noted: bigint | undefined;
  readonly newestVersion: bigint | undefined;
  readonly reportedVersion: bigint | undefined;
  readonly settledBefore: number;
  /** When the newest run began, in milliseconds since 1970. */
  readonly ranBefore: number | undefined;
};

/** Which steps there are depends on the database: alerts are told where something is watched, a report covers what none has yet. */
async function planNight(line: CommandLine, flags: NightFlags, whenBusy?: WhenBusy): Promise<Plan> {
  const { db } = flags;
  const now = line.io.clock.now();
  const read = async (engine: Engine) => ({
    newestVersion: (await readSealedVersions(engine)).at(-1),
    noted: (await runQueries(engine).reportedVersions(1))[0],
    settled: await settledGaps(line, engine),
    isWatched: (await watchQueries(engine).listWatches()).length > 0,
    ranBefore: (await runQueries(engine).listRuns(1))[0]?.startedAt,
  });
  const held = await readIfAble(db, read, whenBusy);
  const { newestVersion, noted, settled: settledBefore = 0, isWatched = false, ranBefore } = held ?? {};
  const reportedVersion = noted ?? newestVersion;
  const steps = flags.weekly ? [stepOf(line, "verify", { db, json: true })] : nightSteps(line, flags, { now, reportedVersion, isWatched });
  return { steps, noted, newestVersion, reportedVersion, settledBefore, ranBefore };
}

/** Runs `night`: the list of steps under the night's lock, then one line. */
export async function runNight(line: CommandLine, flags: NightFlags): Promise<ExitName> {
  const { io } = line;
  const job = flags.weekly ? "week" : "night";
  // Refused now, rather than by each command in turn.
  if (!flags.weekly) chooseNode(flags, io);
  if (flags.backup !== undefined) databaseAt(flags.db).assertFile("backup", flags.backup);
  if (flags.dryRun) {
    const { steps } = await planNight(line, flags);
    if (flags.json) await printJson(io, planResult.print({ job, steps }));
    else await io.stdout(steps.map(({ argv }) => `movedex ${argv.map(shellWord).join(" ")}\n`).join(""));
    return "done";
  }
  try {
    return await holdNight(line, flags, job);
  } catch (error) {
    const failure = firstFailure(error);
    if (failure instanceof MovedexError) io.takeLine?.(brokenLine(job, failure.message));
    // Without this line cron's mail would be empty. What takes no output has said so itself.
    if (!flags.json && failure instanceof MovedexError && failure.code !== "MOVEDEX_OUTPUT")
      await io.stdout(`${brokenLine(job, failure.message)}\n`).catch(() => {});
    throw error;
  }
}

async function holdNight(line: CommandLine, flags: NightFlags, job: "night" | "week"): Promise<ExitName> {
  const { db: database } = flags;
  using io = hearSignals({ ...line.io, patience: patienceFor(flags.maxDuration) });
  const log = openLog(io);
  await using right = new AsyncDisposableStack();
  const notified = { io, log, flags, command: job, database, brokenLine: (text: string) => brokenLine(job, text) };
  const { exit } = await notifyOfRun(notified, async (begin) => {
    if (!flags.weekly && flags.report !== undefined) await requireReportPlace(flags.report);
    right.defer(await databaseAt(database).takeRight(job, { now: io.clock.now, host: io.host }));
    await begin();
    const now = io.clock.now();
    const begun = io.clock.monotonic();
    // Older tables cannot be read, and a night after an upgrade has the same steps as any other.
    const stop = openStop(io.clock);
    // Twice: nothing is in progress that could be finished.
    void io.signal.then((signal) => [signal, signal].forEach(stop.request));
    const whenBusy = waitWhenBusy(io.clock, log, { stop, patience: io.patience });
    await bringUpToDate(io, database, whenBusy);
    const { steps, noted, newestVersion, reportedVersion, settledBefore, ranBefore } = await planNight(line, flags, whenBusy);
    const isBehind = !flags.weekly && reportedVersion !== newestVersion;
    if (isBehind)
      log("info", `tonight's report also covers the snapshots above ledger version ${reportedVersion}, which no report has yet`);
    const { outcomes, results } = await runSteps(steps, { ...io, isPart: true });
    const fault = await faultOf(() => noteReport(flags, io, results.report, noted));
    const settled = (await readIfAble(database, (engine) => settledGaps(line, engine))) ?? settledBefore;
    const ended = endOf(outcomes, results, settled > settledBefore, isBehind);
    const exit = fault !== undefined && ended === "done" ? "failed" : ended;
    const night = {
      job,
      exit,
      durationMs: Math.round(io.clock.monotonic() - begun),
      totals: { ...results, snapshot: snapshotOf(results), settled: settled - settledBefore },
      steps: outcomes,
      isFirst: newestVersion === undefined,
      fault,
      remark: remarkOf(flags, now, ranBefore),
    };
    const text = nightLine(night);
    const printed = { ...night, totals: flags.weekly ? undefined : night.totals };
    if (flags.json) await printJson(io, nightResult.print(printed));
    else await io.stdout(`${text}\n`);
    // The log of a night that needs a person says why, too: a step that failed with an error has said so itself.
    const bad = outcomes.filter((step) => step.exit !== undefined && step.exit !== "done");
    const isSaid = fault === undefined && bad.length > 0 && bad.every(({ error }) => error !== undefined);
    if (exit !== "done" && !isSaid && !io.stderrIsTerminal) io.stderr(`movedex: ${text}\n`);
    io.takeLine?.(text);
    return { exit, summary: { steps: outcomes.map(stepResult.print) }, line: text };
  });
  return exit;
}

/** Runs one step after the other. What a step says on stderr is passed on. */
async function runSteps(steps: readonly NightStep[], io: HearingIo): Promise<{ outcomes: StepOutcome[]; results: NightResults }> {
  const outcomes: StepOutcome[] = [];
  const results: NightResults = {};
  for (const step of steps) {
    const { name } = step;
    const begun = io.clock.monotonic();
    const end = isLeftOut(step, outcomes, snapshotOf(results)) ? undefined : await endOfStep(step, io, results);
    outcomes.push({ name, exit: undefined, printed: {}, ...end, durationMs: io.clock.monotonic() - begun });
  }
  return { outcomes, results };
}

type StepEnd = Omit<StepOutcome, "name" | "durationMs">;

/** Steps that end by themselves when a signal comes; others are left where they are. */
const listening: readonly NightStep["name"][] = ["sync", "backfill", "trace", "tell", "verify"];

async function endOfStep(step: NightStep, io: HearingIo, results: NightResults): Promise<StepEnd> {
  const end = step.run(io, results).catch((error) => failed(error, io));
  const stopped = io.signal.then((signal): StepEnd => ({ exit: signalExit(signal), printed: {} }));
  return listening.includes(step.name) ? await end : await Promise.race([stopped, end]);
}

type HearingIo = Io & { readonly signal: Promise<"SIGINT" | "SIGTERM"> };

/** Hears signals for the length of a night, so that one which comes between its steps leaves its line and its ping too. */
function hearSignals(io: Io): HearingIo & Disposable {
  const heard = Promise.withResolvers<"SIGINT" | "SIGTERM">();
  let first: "SIGINT" | "SIGTERM" | undefined;
  const unlisten = io.onStopSignal((signal) => {
    first ??= signal;
    heard.resolve(signal);
  });
  return {
    ...io,
    signal: heard.promise,
    onStopSignal: (handler) => {
      // Who listens late hears of it all the same.
      if (first !== undefined) handler(first);
      return io.onStopSignal(handler);
    },
    [Symbol.dispose]: unlisten,
  };
}

function snapshotOf({ sync }: NightResults): SyncSummary | undefined {
  return sync === undefined || "spent" in sync ? undefined : sync.summaries.at(-1);
}

function failed(caught: unknown, io: Io): StepEnd {
  const { exit, code, message } = sayFailure(caught, io);
  return { exit, error: { code, message }, printed: {} };
}

function isLeftOut({ after }: NightStep, outcomes: readonly StepOutcome[], snapshot: SyncSummary | undefined): boolean {
  if (outcomes.some(({ exit }) => exit !== undefined && stoppedByUser.includes(exit))) return true;
  // Other processes read the night to its end or have sealed it: what follows it is done once, by the one that seals.
  if (snapshot?.othersGoOn || snapshot?.sealedBy !== undefined || outcomes.some(({ exit }) => exit === "absent")) return true;
  // A first night that could not begin leaves nothing to work on: to say so once is enough.
  if (outcomes.some(({ error }) => error?.code === "MOVEDEX_STORE_MISSING")) return true;
  if (after === undefined) return false;
  const before = outcomes.find(({ name }) => name === after.step);
  return before?.exit === undefined || !after.exits.includes(before.exit);
}

/** Once a week, in the first night after Sunday's, that there is no second copy of what the node has pruned. */
function remarkOf({ weekly, backup, db }: NightFlags, now: number, ranBefore: number | undefined): string | undefined {
  const isFirstOfWeek = ranBefore !== undefined && weekOf(now) !== weekOf(ranBefore);
  return isFirstOfWeek && !weekly && backup === undefined && !databaseAt(db).isShareable
    ? "no night makes a backup (see `--backup`)"
    : undefined;
}

/** Weeks since one that began on a Monday; 1970 began on a Thursday. */
const weekOf = (ms: number): number => Math.floor((ms / 86_400_000 + 3) / 7);

/** What a last step failed with, in words: the night's line is printed all the same. */
async function faultOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const failure = firstFailure(error);
    if (failure instanceof MovedexError) return printable(failure.message, 500);
    throw error;
  }
}

/**
 * The gravest of all steps; but gaps that the next nights ask for again are no reason to wake the operator, unless most accounts are
 * gaps, and a night that found no newer state did something all the same where it finished what an earlier one had left.
 */
function endOf(outcomes: readonly StepOutcome[], results: NightResults, hasLostMore: boolean, hasCaughtUp: boolean): ExitName {
  const { sync } = results;
  const snapshot = snapshotOf(results);
  const isPassing = !hasLostMore && !(snapshot !== undefined && isMostlyGaps(snapshot));
  const exit = gravest(outcomes.map((outcome) => outcome.exit));
  // The budget went on the first questions, and would every night.
  if (exit === "done" && sync !== undefined && "spent" in sync) return "failed";
  if (hasLostMore && exit === "done") return "gaps";
  return (exit === "gaps" && isPassing) || (exit === "stale" && hasCaughtUp) ? "done" : exit;
}

/** Notes up to where was reported, when the report was finished and went beyond the one before: a night without news writes nothing. */
async function noteReport({ db }: NightFlags, io: Io, report?: ChangeReport, noted?: bigint): Promise<void> {
  if (report === undefined || report.upTo < 0n || report.upTo === noted) return;
  await using store = await openStore(db, { mode: "join", whenBusy: waitWhenBusy(io.clock, openLog(io), io) });
  await runQueries(store.engine).noteReport({ ledgerVersion: report.upTo, appVersion: packageVersion(), now: io.clock.now() });
}

/** Gaps that no night will ask for again, as often as sync tries one. */
async function settledGaps({ settings, declare }: CommandLine, engine: Engine): Promise<number> {
  const { retryGaps } = settings.flagsFor<SyncFlags>(await declare("sync"), { stderr: () => {} });
  return (await gapQueries(engine).gapStates(retryGaps)).reduce((sum, { parked, final }) => sum + parked + final, 0);
}

function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
