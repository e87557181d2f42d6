import { appendLine, systemReason, writeWhole } from "../../core/base/files.ts";
import { type Log, silentLog } from "../../core/base/log.ts";
import { printable } from "../../core/base/printable.ts";
import { readVariable } from "../../core/cli/config.ts";
import { type AskedToTell, type Ended, type NotifiedRun, outputsOf, warnOfOutputs } from "../../core/cli/hooks.ts";
import type { AgeFlags } from "../../core/cli/options/declared-command.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { databaseAt } from "../../core/db/engine/database-at.ts";
import { ConfigError, firstFailure, MovedexError } from "../../core/errors.ts";
import { type ExitName, exitCodes } from "../../core/exit-codes.ts";
import type { EndedRun } from "./metrics.ts";
import type { Pings } from "./pings.ts";

export type NotifyFlags = {
  readonly pingUrl?: string;
  /** Of a run that is refused before its sections begin: where they would have told. */
  readonly pingUrls?: readonly string[];
  readonly metricsFile?: string;
  readonly summaryFile?: string;
  readonly section?: string;
};

/**
 * Runs `work` and tells others how it went: pings, a file of metrics, a line of summary. A fault in the telling is a warning. `work` calls
 * `begin` once it holds its lock: a run that finds another one at work leaves pings and metrics to that one.
 * @throws ConfigError before anything else is begun, when a file must not be written, which is told; what `work` throws
 */
export async function notifyOfRun<T extends Ended>(run: NotifiedRun, work: (begin: () => Promise<void>) => Promise<T>): Promise<T> {
  const { io } = run;
  const flags: NotifyFlags & AgeFlags = run.flags;
  let pings: Pings | undefined;
  const startedMs = io.clock.now();
  const begun = io.clock.monotonic();
  let [isBegun, isChecked] = [false, false];
  const begin = async (exit?: ExitName): Promise<void> => {
    if (isBegun) return;
    isBegun = true;
    await (pings?.start(exit) ?? io.takeStart?.());
  };
  const notify = async (ended: Ended, isHeld = false): Promise<void> => {
    // A night tries again.
    if (isHeld && !isBegun && io.patience !== undefined) return;
    const finishedMs = io.clock.now();
    const outcome = { command: run.command, startedMs, finishedMs, durationMs: io.clock.monotonic() - begun, exit: ended.exit };
    // What is refused at the start is told as the failure.
    const log = isChecked ? run.log : silentLog;
    await attempt(run, log, "summary file", async (path) => {
      appendLine(path, summaryLine(outcome, await ended.summary()));
    });
    if (isHeld && !isBegun) return;
    await attempt(run, log, "metrics file", async (path) => {
      const { metricsText } = await import("./exposition.ts");
      const { fileOfSameSeries, readMetrics, textBefore } = await import("./metrics.ts");
      const archive = flags.section ?? databaseAt(run.database).name;
      // Settings were refused that would have named it.
      if (archive === "") return;
      const asked = { ...flags, archive, before: textBefore(path), hooks: io.hooks, chooser: io.chooseTargets };
      // The collector is another user, whom a service's umask would keep out.
      writeWhole(path, metricsText(await readMetrics(run.database, outcome, asked)), 0o644);
      const same = fileOfSameSeries(path, archive);
      if (same !== undefined)
        log(
          "warn",
          `\`${printable(same)}\` beside \`${printable(path)}\` has series of the archive \`${printable(archive)}\` too, and a collector takes none that comes twice. Give each archive a folder or a section of its own name, and delete what is old`,
        );
    });
    await begin(ended.exit);
    await pings?.end(ended.exit, ended.line);
  };
  try {
    // A URL that is none is among what is warned of.
    pings = await pingsOf(run).catch((error: unknown) => {
      if (!(error instanceof ConfigError)) throw error;
      return undefined;
    });
    await warnOfOutputs(run);
    isChecked = true;
    const ended = await work(() => begin());
    await notify(ended);
    return ended;
  } catch (caught) {
    const error = firstFailure(caught);
    const { exit, code } = error instanceof MovedexError ? error : { exit: "failed" as const, code: "MOVEDEX_BUG" };
    const message = error instanceof Error ? printable(error.message, 1000) : "";
    const line = run.brokenLine?.(message) ?? `${run.command}: ${message}`;
    await notify({ exit, summary: async () => ({ error: { code, message } }), line }, code === "MOVEDEX_STORE_LOCKED");
    throw error;
  }
}

/** What pings for a run; undefined for nothing. @throws ConfigError when the URL is none */
export async function pingsOf(run: AskedToTell): Promise<Pings | undefined> {
  const { pingUrl, pingUrls } = run.flags as NotifyFlags;
  // What has the patience of a night is a step of it, and the night tells of it, whatever the variable says.
  if (run.io.patience !== undefined) return undefined;
  if (pingUrls !== undefined) {
    const { isPingUrl, pingsTo } = await import("./pings.ts");
    const all = pingUrls.filter(isPingUrl).flatMap((url) => pingsTo(url, run) ?? []);
    return {
      start: async (exit) => {
        for (const pings of all) await pings.start(exit);
      },
      end: async (...how) => {
        for (const pings of all) await pings.end(...how);
      },
    };
  }
  const url = pingUrl ?? readVariable(run.io.env, "MOVEDEX_PING_URL");
  return url === undefined ? undefined : (await import("./pings.ts")).pingsTo(url, run);
}

/** Writes one of the run's files. What was refused, or became another's meanwhile, is left as it is. */
async function attempt(run: NotifiedRun, log: Log, what: string, write: (path: string) => Promise<void>): Promise<void> {
  const all = outputsOf(run);
  const output = all.find((one) => one.what === what);
  if (output === undefined) return;
  try {
    await (await import("../../core/cli/outputs.ts")).requireOutput(output, run.database, all);
    await write(output.path);
  } catch (error) {
    if (error instanceof MovedexError) log("warn", error.message);
    else log("warn", `could not write the ${what} \`${printable(output.path)}\`: ${systemReason(error)}`);
  }
}

function summaryLine(run: EndedRun, summary: Readonly<Record<string, unknown>>): string {
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
