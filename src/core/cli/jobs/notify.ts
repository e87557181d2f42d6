import { closeSync, openSync } from "node:fs";
import { systemReason } from "../../base/files.ts";
import { type Log, silentLog } from "../../base/log.ts";
import { printable } from "../../base/printable.ts";
import { databaseAt } from "../../db/engine/database-at.ts";
import { ConfigError, firstFailure, MovedexError } from "../../errors.ts";
import { type ExitName, exitCodes } from "../../exit-codes.ts";
import { readVariable } from "../config.ts";
import type { Io } from "../io.ts";
import type { AgeFlags, NotifyFlags } from "../options/shared-flags.ts";
import { fileFault, isFull } from "../options/text-file.ts";
import { jsonLine } from "../output/json-line.ts";
import type { EndedRun } from "./metrics.ts";
import type { Pings } from "./pings.ts";

/** How a run ended, and what is to be told of it. */
export type Ended = {
  readonly exit: ExitName;
  readonly summary: Readonly<Record<string, unknown>>;
  /** How it ended in a line, which pings carry. */
  readonly line?: string;
};

export type NotifiedRun = {
  readonly io: Io;
  readonly log: Log;
  readonly flags: NotifyFlags & AgeFlags;
  readonly command: string;
  readonly database: string;
  /** The line of a run that could not begin. */
  readonly brokenLine?: (message: string) => string;
};

/**
 * Runs `work` and tells others how it went: pings, a file of metrics, a line of summary. A fault in the telling is a warning. `work` calls
 * `begin` once it holds its lock: a run that finds another one at work leaves pings and metrics to that one.
 * @throws ConfigError before anything else is begun, when the URL is none or a file cannot be written, which is told; what `work` throws
 */
export async function notifyOfRun<T extends Ended>(run: NotifiedRun, work: (begin: () => Promise<void>) => Promise<T>): Promise<T> {
  const { io, flags } = run;
  let pings: Pings | undefined;
  const startedMs = io.clock.now();
  const begun = io.clock.monotonic();
  let [isBegun, isChecked] = [false, false];
  const begin = async (): Promise<void> => {
    if (isBegun) return;
    isBegun = true;
    await (pings?.start() ?? io.takeStart?.());
  };
  const notify = async (ended: Ended, isHeld = false): Promise<void> => {
    // A night tries again.
    if (isHeld && !isBegun && io.patience !== undefined) return;
    const finishedMs = io.clock.now();
    const outcome = { command: run.command, startedMs, finishedMs, durationMs: io.clock.monotonic() - begun, exit: ended.exit };
    // What is refused at the start is told as the failure.
    const log = isChecked ? run.log : silentLog;
    await attempt(log, "summary file", flags.summaryFile, async (path) => {
      const { appendLine } = await durableFiles();
      appendLine(path, summaryLine(outcome, ended.summary));
    });
    if (isHeld && !isBegun) return;
    await attempt(log, "metrics file", flags.metricsFile, async (path) => {
      const { metricsText } = await import("../../base/exposition.ts");
      const { joinMetrics, metricsOfOthers, readMetrics, textBefore } = await import("./metrics.ts");
      const { writeWhole } = await durableFiles();
      const archive = flags.section ?? databaseAt(run.database).name;
      // Settings were refused that would have named it.
      if (archive === "") return;
      const before = textBefore(path);
      const own = await readMetrics(run.database, outcome, { ...flags, archive, before, hooks: io.hooks, chooser: io.chooseTargets });
      writeWhole(path, metricsText(joinMetrics([...metricsOfOthers(before, archive), ...own])));
    });
    await begin();
    await pings?.end(ended.exit, ended.line);
  };
  try {
    pings = await pingsOf(run);
    await requireWritable(flags);
    isChecked = true;
    const ended = await work(begin);
    await notify(ended);
    return ended;
  } catch (caught) {
    const error = firstFailure(caught);
    const { exit, code } = error instanceof MovedexError ? error : { exit: "failed" as const, code: "MOVEDEX_BUG" };
    const message = error instanceof Error ? printable(error.message, 1000) : "";
    const line = run.brokenLine?.(message) ?? `${run.command}: ${message}`;
    await notify({ exit, summary: { error: { code, message } }, line }, code === "MOVEDEX_STORE_LOCKED");
    throw error;
  }
}

const durableFiles = () => import("../../base/files.ts");

/** What pings for a run; undefined for nothing. @throws ConfigError when the URL is none */
export async function pingsOf(run: Pick<NotifiedRun, "io" | "log" | "flags">): Promise<Pings | undefined> {
  const url = run.flags.pingUrl ?? readVariable(run.io.env, "MOVEDEX_PING_URL");
  return url === undefined ? undefined : (await import("./pings.ts")).pingsTo(url, run);
}

/** Makes sure before a run that it can write what it is to tell. @throws ConfigError */
export async function requireWritable({ metricsFile, summaryFile }: NotifyFlags): Promise<void> {
  if (summaryFile === undefined && metricsFile === undefined) return;
  const { refuseDatabase, requirePlace } = await durableFiles();
  if (summaryFile !== undefined)
    requireThat("summary file", summaryFile, (path) => {
      refuseDatabase(path);
      closeSync(openSync(path, "a"));
    });
  if (metricsFile !== undefined) requireThat("metrics file", metricsFile, requirePlace);
}

/** Makes sure before a long run that its report can be written. @throws ConfigError */
export async function requireReportPlace(path: string): Promise<void> {
  const { requirePlace } = await durableFiles();
  requireThat("report", path, requirePlace);
}

function requireThat(what: string, path: string, check: (path: string) => void): void {
  try {
    check(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    // A full disk is no reason to miss a night.
    if (isFull(error)) return;
    throw fileFault("write", what, path, error, "Check that its directory exists and may be written to.");
  }
}

async function attempt(log: Log, what: string, path: string | undefined, write: (path: string) => Promise<void>): Promise<void> {
  if (path === undefined) return;
  try {
    await write(path);
  } catch (error) {
    log("warn", `could not write the ${what} \`${printable(path)}\`: ${systemReason(error)}`);
  }
}

function summaryLine(run: EndedRun, summary: Ended["summary"]): string {
  const line = {
    command: run.command,
    started_at: new Date(run.startedMs).toISOString(),
    finished_at: new Date(run.finishedMs).toISOString(),
    duration_ms: Math.round(run.durationMs),
    exit: run.exit,
    exit_code: exitCodes[run.exit].code,
    ...summary,
  };
  return jsonLine(line);
}
