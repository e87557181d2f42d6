import { gapQueries } from "../../../archive/snapshots/gaps.ts";
import { readSealedVersions } from "../../../archive/snapshots/snapshot-queries.ts";
import { packageVersion } from "../../../base/files/package-file.ts";
import { printable } from "../../../base/printable.ts";
import { databaseAt } from "../../../engine/database-at.ts";
import type { Engine } from "../../../engine/engine.ts";
import { firstFailure, MovedexError } from "../../../errors.ts";
import { type ExitName, exitCodes } from "../../../exit-codes.ts";
import { watchQueries } from "../../../work/alerts/watches.ts";
import { runQueries } from "../../../work/runs/runs.ts";
import { openStore } from "../../../work/store.ts";
import { type Io, openLog } from "../../io.ts";
import { bringUpToDate, readIfAble } from "../../jobs/change-beside-runs.ts";
import { gravest, type JobStep, runSteps, type StepOutcome, stepResult } from "../../jobs/job.ts";
import { type Ended, notifyOfRun, requireReportPlace } from "../../jobs/notify.ts";
import type { CommandLine } from "../../movedex-command.ts";
import { chooseNode } from "../../options/node-options.ts";
import { GAP_TRIES } from "../../options/options.ts";
import { jsonLine } from "../../output/json-line.ts";
import { brokenLine, nightLine } from "./line.ts";
import { nightResult, planResult } from "./result.ts";
import { type NightFlags, nightSteps, weekSteps } from "./steps.ts";
import { totalsOf } from "./totals.ts";

/** The steps of tonight, and what the database said of earlier nights when they were chosen. */
type Plan = {
  readonly steps: readonly JobStep[];
  /** The newest snapshot of which a report was finished. */
  readonly noted: bigint | undefined;
  readonly newestVersion: bigint | undefined;
  readonly reportedVersion: bigint | undefined;
  readonly settledBefore: number;
};

/** Which steps there are depends on the database: alerts are told where something is watched, a report covers what none has yet. */
async function planNight({ io, settings }: CommandLine, flags: NightFlags): Promise<Plan> {
  const { db: database } = flags;
  const now = io.clock.now();
  const tries = gapTries(settings.wordsFor("sync"));
  const held = await readIfAble(database, async (engine) => ({
    newestVersion: (await readSealedVersions(engine)).at(-1),
    noted: (await runQueries(engine).reportedVersions(1))[0],
    settled: await settledGaps(engine, tries),
    isWatched: (await watchQueries(engine).listWatches()).length > 0,
  }));
  const { newestVersion, noted, settled: settledBefore = 0, isWatched = false } = held ?? {};
  const reportedVersion = noted ?? newestVersion;
  const tonight = { database, now, newestVersion, reportedVersion, isWatched };
  const listed = flags.weekly ? weekSteps(tonight) : nightSteps(flags, tonight);
  // What the night says of a step stands behind what the settings file says of it, and so over it.
  const steps = listed.map((step) => ({
    ...step,
    argv: [
      ...step.argv.slice(0, 1),
      ...(step.name === "tell" ? settings.wordsForPlaces() : []),
      ...settings.wordsFor(step.argv[0] ?? ""),
      ...step.argv.slice(1),
    ],
  }));
  return { steps, noted, newestVersion, reportedVersion, settledBefore };
}

/** Runs `night`: the list of commands under the night's lock, then one line. */
export async function runNight(line: CommandLine, flags: NightFlags): Promise<ExitName> {
  const { io } = line;
  const job = flags.weekly ? "week" : "night";
  // Refused now, rather than by each command in turn.
  if (!flags.weekly) chooseNode(flags, io);
  if (flags.backup !== undefined) databaseAt(flags.db).assertFile("backup", flags.backup);
  if (flags.dryRun) {
    const { steps } = await planNight(line, flags);
    await io.stdout(
      flags.json
        ? jsonLine(planResult.print({ job, steps }))
        : steps.map(({ argv }) => `movedex ${argv.map(shellWord).join(" ")}\n`).join(""),
    );
    return "done";
  }
  try {
    return await holdNight(line, flags, job);
  } catch (error) {
    const failure = firstFailure(error);
    // Without this line cron's mail would be empty. What takes no output has said so itself.
    if (!flags.json && failure instanceof MovedexError && failure.code !== "MOVEDEX_OUTPUT")
      await io.stdout(`${brokenLine(job, failure.message)}\n`).catch(() => {});
    throw error;
  }
}

async function holdNight(line: CommandLine, flags: NightFlags, job: "night" | "week"): Promise<ExitName> {
  const { io, run } = line;
  const { db: database } = flags;
  const log = openLog(io);
  await using right = new AsyncDisposableStack();
  const requireRight = await takeRight(right, flags, job, io);
  return await notifyOfRun({ io, log, flags, command: job, database }, async () => {
    requireRight();
    const now = io.clock.now();
    const begun = io.clock.monotonic();
    // Older tables cannot be read, and a night after an upgrade has the same steps as any other.
    await bringUpToDate(io, database);
    const { steps, noted, newestVersion, reportedVersion, settledBefore } = await planNight(line, flags);
    const isBehind = !flags.weekly && reportedVersion !== newestVersion;
    if (isBehind)
      log("info", `tonight's report also covers the snapshots above ledger version ${reportedVersion}, which no report has yet`);
    let isSaid = false;
    const stderr = (text: string): void => {
      isSaid = true;
      io.stderr(text);
    };
    const outcomes = await runSteps(steps, { ...io, stderr }, run);
    const fault = await faultOf(() => noteReport(database, outcomes, noted, now));
    const settled =
      (await readIfAble(database, (engine) => settledGaps(engine, gapTries(line.settings.wordsFor("sync"))))) ?? settledBefore;
    const ended = endOf(outcomes, settled > settledBefore, isBehind);
    const exit = fault !== undefined && ended === "done" ? "failed" : ended;
    const night = {
      job,
      exit,
      exitCode: exitCodes[exit].code,
      durationMs: Math.round(io.clock.monotonic() - begun),
      totals: flags.weekly ? undefined : totalsOf(outcomes, settled - settledBefore),
      steps: outcomes,
      isFirst: newestVersion === undefined,
      fault,
      remark: remarkOf(flags, now),
    };
    const text = nightLine(night);
    await io.stdout(flags.json ? jsonLine(nightResult.print(night)) : `${text}\n`);
    // The log of a night that needs a person says why, too.
    if (night.exitCode !== 0 && !isSaid && !io.stderrIsTerminal) io.stderr(`movedex: ${text}\n`);
    return { exit, summary: { steps: outcomes.map(stepResult.print) }, line: text } satisfies Ended;
  });
}

/** Once a week, that there is no second copy of what the node has pruned. */
function remarkOf({ weekly, backup, db }: NightFlags, now: number): string | undefined {
  const isMonday = new Date(now).getUTCDay() === 1;
  return isMonday && !weekly && backup === undefined && !databaseAt(db).isShareable
    ? "no night makes a backup (see `--backup`)"
    : undefined;
}

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
 * Makes sure of the report's place and takes the job's right. What is returned throws the fault that this met, for others are to be told
 * of it. @throws StoreError at once if another run is at work, which tells of itself
 */
async function takeRight(right: AsyncDisposableStack, flags: NightFlags, job: "night" | "week", io: Io): Promise<() => void> {
  try {
    if (!flags.weekly && flags.report !== undefined) await requireReportPlace(flags.report);
    right.defer(await databaseAt(flags.db).takeRight(job, { now: io.clock.now, host: io.host }));
    return () => undefined;
  } catch (error) {
    if (error instanceof MovedexError && error.exit === "locked") throw error;
    return () => {
      throw error;
    };
  }
}

/**
 * The gravest of all steps; but gaps that the next nights ask for again are no reason to wake the operator, and a night that
 * found no newer state did something all the same where it finished what an earlier one had left.
 */
function endOf(outcomes: readonly StepOutcome[], hasLostMore: boolean, hasCaughtUp: boolean): ExitName {
  const exit = gravest(outcomes.map((outcome) => outcome.exit));
  // The budget went on the first questions, and would every night.
  if (
    exit === "done" &&
    outcomes.some(({ name, result }) => name === "sync" && result["stopped_by"] === "budget" && result["status"] === undefined)
  )
    return "failed";
  if (hasLostMore && exit === "done") return "gaps";
  return (exit === "gaps" && !hasLostMore) || (exit === "stale" && hasCaughtUp) ? "done" : exit;
}

/** Notes up to where was reported, when the report was finished and went beyond the one before: a night without news writes nothing. */
async function noteReport(database: string, outcomes: readonly StepOutcome[], noted: bigint | undefined, now: number): Promise<void> {
  const upTo = outcomes.find(({ name, exit }) => name === "report" && exit === "done")?.result["up_to_version"];
  if (typeof upTo !== "string" || BigInt(upTo) === noted) return;
  await using store = await openStore(database, { mode: "join" });
  await runQueries(store.engine).noteReport({ ledgerVersion: BigInt(upTo), appVersion: packageVersion(), now });
}

/** How often sync tries a gap: what the settings file says of it, which the night has no option for. */
function gapTries(words: readonly string[]): number {
  const at = words.indexOf("--retry-gaps");
  return at < 0 ? GAP_TRIES : Number(words[at + 1]);
}

/** Gaps that no night will ask for again. */
async function settledGaps(engine: Engine, tries: number): Promise<number> {
  return (await gapQueries(engine).gapStates(tries)).reduce((sum, { parked, final }) => sum + parked + final, 0);
}

function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
