import { once } from "node:events";
import { jsonLog, type Log, plainLog } from "../base/log.ts";
import { type Clock, systemClock } from "../base/time/clock.ts";

/** The process around a command: tests pass their own. */
export type ProcessIo = {
  /** The input as it comes. Once. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Data. Resolves when the text is taken, so that a slow pipe slows the command down instead of filling memory. */
  readonly stdout: (text: string) => Promise<void>;
  /** Talk. */
  readonly stderr: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly stderrIsTerminal: boolean;
  readonly stdoutIsTerminal: boolean;
  /** The terminal's width in columns. */
  readonly columns: number;
  /** Calls back once for each SIGINT or SIGTERM; returns what takes the handler away again. */
  readonly onStopSignal: (handler: (signal: "SIGINT" | "SIGTERM") => void) => () => void;
};

/** What a command may touch of the world around it. */
export type Io = ProcessIo & {
  /** Shows a line of progress at the end of what a terminal shows, and takes it away when it is undefined. */
  readonly statusLine: (text: string | undefined) => void;
};

/** Runs one command line of movedex and gives its exit code: what a command made of commands is handed. */
export type RunCommand = (argv: readonly string[], io: Io) => Promise<number>;

/** The width that data is fitted into: the terminal's, or any where stdout is none. */
export function dataWidth({ stdoutIsTerminal, columns }: Pick<Io, "stdoutIsTerminal" | "columns">): number {
  return stdoutIsTerminal ? columns : Number.POSITIVE_INFINITY;
}

/** A log on stderr: sentences for a person at a terminal, else JSON lines. */
export function openLog({ stderr, stderrIsTerminal, clock }: Pick<Io, "stderr" | "stderrIsTerminal" | "clock">): Log {
  return stderrIsTerminal ? plainLog(stderr) : jsonLog(stderr, clock.now);
}

export function processIo(): ProcessIo {
  return {
    stdin: () => process.stdin,
    stdout: async (part) => {
      if (!process.stdout.write(part)) await once(process.stdout, "drain");
    },
    stderr: (part) => {
      process.stderr.write(part);
    },
    env: process.env,
    clock: systemClock,
    stderrIsTerminal: process.stderr.isTTY === true,
    stdoutIsTerminal: process.stdout.isTTY === true,
    columns: process.stdout.columns ?? process.stderr.columns ?? 80,
    onStopSignal: (handler) => {
      const onInterrupt = () => handler("SIGINT");
      const onTerminate = () => handler("SIGTERM");
      process.on("SIGINT", onInterrupt);
      process.on("SIGTERM", onTerminate);
      return () => {
        process.off("SIGINT", onInterrupt);
        process.off("SIGTERM", onTerminate);
      };
    },
  };
}

/** Ends the process quietly when the reader of stdout has gone (`movedex query … | head`). */
export function endOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}
