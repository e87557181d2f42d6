import { fstatSync } from "node:fs";
import { hostname } from "node:os";
import { CommanderError } from "commander";
import { jsonLog, type Log, plainLog } from "../base/log.ts";
import { plural } from "../base/plural.ts";
import { printable, printableLines } from "../base/printable.ts";
import { type Clock, systemClock } from "../base/time.ts";
import { firstFailure, MovedexError } from "../errors.ts";
import type { Hooks, JobIo } from "./hooks.ts";

/** The process around a command: tests pass their own. */
export type ProcessIo = Pick<JobIo, "onStopSignal"> & {
  /** The input as it comes. Once. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /**
   * Data. Resolves when the text is taken, so that a slow pipe slows the command down instead of filling memory; at once when the reader
   * has gone. @throws MovedexError `MOVEDEX_OUTPUT`
   */
  readonly stdout: (text: string) => Promise<void>;
  /** Whether the reader of stdout has gone (`movedex query … | head`): what only prints rows may end then. */
  readonly isReaderGone: () => boolean;
  /** Talk. Lost where nobody can take it: a full disk under a log must not end the night. */
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The name of this machine. */
  readonly host: string;
  readonly stderrIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** Whether stdout and stderr come to the same place, as a terminal, a log or cron's mail: there nothing needs to be said on both. */
  readonly isOnePlace: boolean;
  readonly columns: number;
};

/** What a command may touch of the world around it. */
export type Io = ProcessIo &
  JobIo & {
    /** Shows a line of progress at the end of what a terminal shows, and takes it away when it is undefined. */
    readonly statusLine: (text: string | undefined) => void;
    /** Takes the result of `--json` in place of stdout, where this run is one of several networks. */
    readonly takeResult?: (printed: Readonly<Record<string, unknown>>) => void;
    /** Takes the line that says how such a run ended, which `--json` does not print. */
    readonly takeLine?: (line: string) => void;
  };

/** Runs one command line of movedex and gives its exit code: what a command made of commands is handed. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<number>;

/** Runs a command line as a part of this one and keeps what it prints. The signals of the process reach it. */
export async function capture(argv: readonly string[], io: Io, run: RunCommand) {
  const kept: string[] = [];
  const keep = async (text: string): Promise<void> => void kept.push(text);
  return { code: await run(argv, { ...io, stdout: keep, stdoutIsTerminal: false, isPart: true }), stdout: kept.join("") };
}

/** The width that data is fitted into: the terminal's, or any where stdout is none. */
export function dataWidth({ stdoutIsTerminal, columns }: Pick<Io, "stdoutIsTerminal" | "columns">): number {
  return stdoutIsTerminal ? columns : Number.POSITIVE_INFINITY;
}

/** A log on stderr: sentences for a person at a terminal, else JSON lines. */
export function openLog({ stderr, stderrIsTerminal, clock }: Pick<Io, "stderr" | "stderrIsTerminal" | "clock">): Log {
  return stderrIsTerminal ? plainLog(stderr) : jsonLog(stderr, clock.now);
}

export function processIo(): ProcessIo {
  // Each failed write is told to its caller. Without a listener it would end the process, too.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  let isReaderGone = false;
  return {
    stdin: () => process.stdin,
    stdout: async (part) => {
      if (isReaderGone) return;
      const error = await new Promise<NodeJS.ErrnoException | null | undefined>((resolve) => process.stdout.write(part, resolve));
      if (error?.code === "EPIPE") isReaderGone = true;
      else if (error) throw new MovedexError("MOVEDEX_OUTPUT", notPrinted(error), { cause: error });
    },
    isReaderGone: () => isReaderGone,
    stderr: (part) => {
      process.stderr.write(part);
    },
    env: process.env,
    host: hostname(),
    clock: systemClock,
    stderrIsTerminal: process.stderr.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    isOnePlace: isSameOpen(process.stdout.fd, process.stderr.fd),
    columns: process.stdout.columns ?? process.stderr.columns ?? 80,
    onStopSignal: (handler) => {
      // Node.js names the signal.
      const signals = ["SIGINT", "SIGTERM"];
      for (const signal of signals) process.on(signal, handler);
      return () => {
        for (const signal of signals) process.off(signal, handler);
      };
    },
  };
}

/** Whether two open files are one, be it a file, a terminal or a pipe. */
function isSameOpen(a: number, b: number): boolean {
  try {
    const [one, other] = [fstatSync(a, { bigint: true }), fstatSync(b, { bigint: true })];
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    // Closed by whoever started this.
    return false;
  }
}

function notPrinted({ code, message }: NodeJS.ErrnoException): string {
  return `could not print (${code ?? message}). What was stored by then is kept. Make room where stdout goes, or print elsewhere, and run again.`;
}

/** Carriage return, then erase the line. */
const CLEAR = "\r\u001b[2K";

/**
 * Adds a line of progress below what a terminal shows. It is erased before anything else is written and drawn again afterwards.
 * Where stderr is no terminal, nothing is drawn.
 */
export function withStatusLine(io: ProcessIo, hooks: readonly Hooks[] = []): Io {
  let line = "";
  let isDrawn = false;
  /** Whether the last text ended without a line end: nothing can be drawn behind it. */
  let isMidLine = false;
  const erase = (): void => {
    if (isDrawn) io.stderr(CLEAR);
    isDrawn = false;
  };
  const draw = (): void => {
    if (line === "" || isMidLine) return;
    io.stderr(`${CLEAR}${line}`);
    isDrawn = true;
  };
  return {
    ...io,
    hooks,
    stderr: (text) => {
      erase();
      io.stderr(text);
      isMidLine = !text.endsWith("\n");
      draw();
    },
    stdout: async (text) => {
      if (line === "" || !io.stdoutIsTerminal) return await io.stdout(text);
      erase();
      await io.stdout(text);
      isMidLine = !text.endsWith("\n");
      draw();
    },
    statusLine: (text) => {
      if (!io.stderrIsTerminal) return;
      // A line that wraps cannot be erased, so it is cut.
      line = text?.slice(0, Math.max(20, io.columns - 1)) ?? "";
      if (line === "") erase();
      else draw();
    },
  };
}

export type Failure = Pick<MovedexError, "code" | "message" | "facts" | "exit">;

/** Turns an error into words: a sentence on stderr. The one place that does. @returns what is known of it */
export function sayFailure(caught: unknown, io: Pick<Io, "statusLine" | "stderr">): Failure {
  io.statusLine(undefined);
  const error = firstFailure(caught);
  const failure = describe(error);
  // Commander has already printed its complaint.
  if (!(error instanceof CommanderError)) io.stderr(`movedex: ${printableLines(failure.message)}\n`);
  return failure;
}

function describe(error: unknown): Failure {
  if (error instanceof MovedexError) return error;
  if (error instanceof CommanderError) return usageError(error);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { code: "MOVEDEX_BUG", message: `this is a bug in movedex, please report it: ${text}`, facts: {}, exit: "failed" };
}

/** What commander refuses, as an error of our own. */
export function usageError({ message }: CommanderError): MovedexError {
  return new MovedexError("MOVEDEX_USAGE", message.replace(/^error: /, "").replaceAll("\n", " "), { exit: "usage" });
}

/** Prints a database's notices on stderr: a repair when it was opened, a server that is waited for. */
export function storeNotice(io: Io): (sentence: string) => void {
  return (sentence) => io.stderr(`movedex: ${printable(sentence)}\n`);
}

/** What makes the rows of bytecode that wait: a run, or where there is no node an import, also of what is held already. */
export const MAKES_ROWS = "`movedex sync` makes them; without a node, `movedex import` of a backup of this database does too";

/** The notice that rows of some bytecode are still to be derived, as after a run that was killed; undefined when none are. */
export function rowsToCome(underived: number): string | undefined {
  if (underived === 0) return undefined;
  return `movedex: the rows of ${plural(underived, "stored bytecode")} are still to come, so functions, structs and the like of these are missing here. ${MAKES_ROWS}.\n`;
}
