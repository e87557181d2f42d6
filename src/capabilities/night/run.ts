import { silentLog } from "../../core/base/log.ts";
import { keepTexts } from "../../core/base/plural.ts";
import type { SyncFlags } from "../../core/cli/commands/sync/run.ts";
import { notifyOfRun, requireOutputs } from "../../core/cli/hooks.ts";
import { openLog } from "../../core/cli/io.ts";
import type { CommandLine } from "../../core/cli/movedex-command.ts";
import { type NightFlags, type NightPart, tonightOf } from "../../core/cli/night-part.ts";
import { chooseNode, openChosenNode } from "../../core/cli/options/node-session.ts";
import { printJson } from "../../core/cli/output/json-line.ts";
import { bringUpToDate, readIfAble, readPatiently, reconnecting } from "../../core/cli/store-access.ts";
import { inTurn, openStop, patienceFor, waitWhenBusy } from "../../core/crawl/run/run-work.ts";
import { gapQueries } from "../../core/db/archive/snapshots/gaps.ts";
import { readSealedVersions } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { firstFailure, MovedexError } from "../../core/errors.ts";
import { type ExitName, gravest } from "../../core/exit-codes.ts";
import { runQueries } from "../../core/work/runs/runs.ts";
import { brokenLine, nightLine } from "./line.ts";
import { nightResult, planResult, type StepOutcome, stepResult } from "./result.ts";
import { hearSignals, nightSteps, runSteps, snapshotOf } from "./steps.ts";

/** A night with the parts that it may have. */
type Night = {
  readonly line: CommandLine;
  readonly parts: readonly NightPart[];
  readonly flags: NightFlags;
  /** Whether it holds its lock. */
  isBegun?: true;
  /** Its line, once it is known. */
  said?: string;
};

async function namesWanted(parts: readonly NightPart[], engine: Engine): Promise<string[]> {
  const wanted = await Promise.all(parts.map(async (part) => ((await part.isWanted?.(engine)) ? [part.name] : [])));
  return wanted.flat();
}

/**
 * The steps of tonight, and what the database said of earlier nights when they were chosen: alerts are told where something is watched, a
 * report covers what none has yet. `ranBefore`: when the newest run began that read something, in milliseconds since 1970.
 */
async function planNight({ line, parts, flags }: Night, whenBusy?: WhenBusy) {
  const { db } = flags;
  const now = line.io.clock.now();
  const read = async (engine: Engine) => ({
    sealed: await readSealedVersions(engine),
    noted: (await runQueries(engine).reportedVersions(1))[0],
    settled: await settledGaps(line, engine),
    wanted: new Set(await namesWanted(parts, engine)),
    ranBefore: await readAt(engine),
  });
  const held = await readIfAble(db, read, whenBusy);
  const { sealed = [], noted: notedVersion, settled: settledBefore = 0, wanted = new Set<string>(), ranBefore } = held ?? {};
  const newestVersion = sealed.at(-1);
  // The first night to report may have been killed before it did: what the newest snapshot shows is in the next one's.
  const reportedVersion = notedVersion ?? sealed.at(-2) ?? newestVersion;
  const tonight = tonightOf(flags, { settings: line.settings, now, notedVersion, reportedVersion });
  const steps = nightSteps(line, parts, tonight, wanted);
  return { steps, newestVersion, reportedVersion, settledBefore, ranBefore };
}

/** Runs `night`: the list of steps under the night's lock, then one line; of one that is `refused` nothing but the telling. */
export async function runNight(line: CommandLine, parts: readonly NightPart[], flags: NightFlags, refused?: unknown): Promise<ExitName> {
  const { io } = line;
  const night: Night = { line, parts, flags };
  const job = flags.weekly ? "week" : "night";
  // Refused now, rather than by each command in turn.
  const requireSettings = async (): Promise<void> => {
    if (refused !== undefined) throw refused;
    if (flags.weekly) return;
    // What its address, credentials and proxy are refused for. Nothing is sent.
    await (await openChosenNode(chooseNode(flags, io), flags, io, silentLog)).close();
    for (const part of parts) await part.refuse?.(flags);
  };
  if (flags.dryRun) {
    await requireSettings();
    const { steps } = await planNight(night);
    if (flags.json) await printJson(io, planResult.print({ job, steps }));
    else await io.stdout(steps.map(({ argv }) => `movedex ${argv.map(shellWord).join(" ")}\n`).join(""));
    return "done";
  }
  try {
    return await holdNight(night, job, requireSettings);
  } catch (error) {
    const failure = firstFailure(error);
    if (failure instanceof MovedexError) io.takeLine?.(brokenLine(job, failure.message, night));
    // Without this line cron's mail would be empty. What takes no output has said so itself.
    if (flags.json || !(failure instanceof MovedexError) || failure.code === "MOVEDEX_OUTPUT") throw error;
    const isPrinted = await io.stdout(`${brokenLine(job, failure.message, night)}\n`).then(
      () => true,
      () => false,
    );
    if (isPrinted && io.isOnePlace) return failure.exit;
    throw error;
  }
}

async function holdNight(night: Night, job: "night" | "week", requireSettings: () => Promise<void>): Promise<ExitName> {
  const { line, flags } = night;
  const { db: database } = flags;
  const stop = openStop(line.io.clock);
  using io = hearSignals({ ...line.io, patience: patienceFor(flags.maxDuration, stop.signal) });
  // Twice: nothing is in progress that could be finished.
  void io.signal.then((signal) => [signal, signal].forEach(stop.request));
  // After a signal the night does not wait for a database server that hangs.
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener("abort", () => reject(stop.signal.reason), { once: true });
  });
  stopped.catch(() => {});
  const unlessStopped = <T>(work: Promise<T>): Promise<T> => Promise.race([stopped, work]);
  const log = openLog(io);
  const whenBusy = waitWhenBusy(io.clock, log, io);
  await using lock = new AsyncDisposableStack();
  const outputs = flags.weekly ? [] : night.parts.flatMap((part) => part.outputs?.(flags) ?? []);
  const notified = {
    io: line.io,
    log,
    flags,
    command: job,
    database,
    outputs,
    brokenLine: (text: string) => brokenLine(job, text, night),
  };
  const { exit } = await notifyOfRun(notified, async (begin) => {
    await requireSettings();
    lock.defer(await unlessStopped(databaseAt(database).acquireLock(job, { now: io.clock.now, host: io.host })));
    night.isBegun = true;
    await begin();
    const now = io.clock.now();
    const begun = io.clock.monotonic();
    // Older tables cannot be read, and a night after an upgrade has the same steps as any other.
    const planned = inTurn(() => bringUpToDate(io, database, whenBusy), whenBusy).then(() =>
      inTurn(() => planNight(night, whenBusy), whenBusy),
    );
    const { steps, newestVersion, reportedVersion, settledBefore, ranBefore } = await unlessStopped(planned);
    const isBehind = !flags.weekly && reportedVersion !== newestVersion;
    if (isBehind)
      log("info", `tonight's report also covers the snapshots above ledger version ${reportedVersion}, which no report has yet`);
    const { outcomes, sync, finishes } = await runSteps(steps, { ...io, isPart: true }, whenBusy);
    let settled = settledBefore;
    const faults = await faultsOf(async () => {
      for (const finish of finishes) await reconnecting(finish, whenBusy);
      settled = await readPatiently(database, (engine) => settledGaps(line, engine), whenBusy).catch((error: unknown) => {
        // A step that failed by the same has said so.
        if (outcomes.some((step) => step.error !== undefined)) return settledBefore;
        throw error;
      });
      // What its steps write they say themselves.
      return requireOutputs({ ...notified, outputs: [] });
    });
    const stepsExit = endOf(outcomes, settled > settledBefore, isBehind);
    const exit = gravest([stepsExit, faults.length > 0 ? "failed" : undefined]);
    const ended = {
      job,
      exit,
      durationMs: Math.round(io.clock.monotonic() - begun),
      totals: { sync, snapshot: snapshotOf(sync), settled: settled - settledBefore },
      steps: outcomes,
      isFirst: newestVersion === undefined,
      faults,
      settingsWords: line.settings
        .fileWords()
        .map((word) => ` ${shellWord(word)}`)
        .join(""),
      remark: await remarkOf(night, now, ranBefore),
    };
    const text = nightLine(ended);
    night.said = text;
    const printed = { ...ended, totals: flags.weekly ? undefined : ended.totals };
    const [unprinted] = await faultsOf(async () => {
      await (flags.json ? printJson(io, nightResult.print(printed)) : io.stdout(`${text}\n`));
      return [];
    });
    const said = unprinted === undefined ? text : brokenLine(job, unprinted.message, night);
    // The log of a night that needs a person says why, too: a step that failed with an error has said so itself, but not
    // what the night has read all the same.
    const bad = outcomes.filter((step) => step.exit !== undefined && step.exit !== "done");
    const isToldOf =
      faults.length === 0 && snapshotOf(sync) === undefined && bad.length > 0 && bad.every(({ error }) => error !== undefined);
    const isRead = isToldOf || (io.isOnePlace && !flags.json);
    if (unprinted !== undefined || (exit !== "done" && !isRead)) io.stderr(`movedex: ${said}\n`);
    io.takeLine?.(said);
    const summary = async () => ({ steps: outcomes.map(stepResult.print) });
    return { exit: unprinted === undefined ? exit : gravest([exit, "failed"]), summary, line: said };
  });
  return exit;
}

/** What the parts say beside the line; some of it once a week, in the first night after Sunday's. */
async function remarkOf({ parts, flags }: Night, now: number, ranBefore: number | undefined): Promise<string | undefined> {
  if (flags.weekly) return undefined;
  const isOfNewWeek = ranBefore !== undefined && weekOf(now) !== weekOf(ranBefore);
  // One that left no run would say it again tomorrow.
  const readLast = isOfNewWeek ? await readIfAble(flags.db, readAt) : undefined;
  const isFirstOfWeek = readLast !== undefined && readLast !== ranBefore;
  return keepTexts(await Promise.all(parts.map((part) => part.remark?.(flags, isFirstOfWeek)))).join("; ") || undefined;
}

/** When the newest run began that came to a snapshot, among the last hundred. */
async function readAt(engine: Engine): Promise<number | undefined> {
  return (await runQueries(engine).listRuns(100)).find(({ ledgerVersion }) => ledgerVersion !== null)?.startedAt;
}

/** Weeks since one that began on a Monday; 1970 began on a Thursday. */
const weekOf = (ms: number): number => Math.floor((ms / 86_400_000 + 3) / 7);

/** What last work found, or failed with: the night's line is printed all the same. */
async function faultsOf(work: () => Promise<MovedexError[]>): Promise<MovedexError[]> {
  try {
    return await work();
  } catch (error) {
    const failure = firstFailure(error);
    if (failure instanceof MovedexError) return [failure];
    throw error;
  }
}

/**
 * The gravest of all steps; but gaps that the next nights ask for again are no reason to wake the operator, and a night that found no newer
 * state did something all the same where it finished what an earlier one had left.
 */
function endOf(outcomes: readonly StepOutcome[], hasLostMore: boolean, hasCaughtUp: boolean): ExitName {
  const exit = gravest(outcomes.map((outcome) => outcome.exit));
  if (hasLostMore && exit === "done") return "gaps";
  return (exit === "gaps" && !hasLostMore) || (exit === "stale" && hasCaughtUp) ? "done" : exit;
}

/** Gaps that no night will ask for again, as often as sync tries one; of a given up snapshot those alone that the node has pruned. */
async function settledGaps({ settings, declare }: CommandLine, engine: Engine): Promise<number> {
  const { retryGaps } = settings.flagsFor<SyncFlags>(await declare("sync"), { stderr: () => {} });
  const states = await gapQueries(engine).gapStates(retryGaps);
  return states.reduce((sum, { isGivenUp, parked, final }) => sum + final + (isGivenUp ? 0 : parked), 0);
}

function shellWord(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
