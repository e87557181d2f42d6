import { once } from "node:events";
import { systemClock } from "../base/clock.ts";
import type { ProcessIo } from "./io.ts";

/** The real process. */
export function processIo(): ProcessIo {
  return {
    stdout: async (text) => {
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    },
    stderr: (text) => {
      process.stderr.write(text);
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

/** Ends the process quietly when whoever read our stdout has gone (`movedex query … | head`). */
export function endOnBrokenPipe(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
}
