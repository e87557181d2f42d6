import { once } from "node:events";
import { systemClock } from "../base/time/clock.ts";
import type { ProcessIo } from "./io.ts";

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
