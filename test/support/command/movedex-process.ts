import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { runProcess } from "../run-process.ts";

/** The launcher of the checkout, as a process of its own starts it. */
export const launcher = fileURLToPath(new URL("../../../bin/movedex.mjs", import.meta.url));

/** Starts a command line as a process of its own; by default nothing of what it prints is kept. */
export function startMovedex(argv: readonly string[], options: SpawnOptions = {}): ChildProcess {
  return spawn(process.execPath, [launcher, ...argv], { stdio: "ignore", ...options });
}

/** Runs a command line as a process of its own. */
export function runMovedex(argv: readonly string[], options: Parameters<typeof runProcess>[2] = {}): ReturnType<typeof runProcess> {
  return runProcess(process.execPath, [launcher, ...argv], options);
}

/** Whether a process was killed rather than ended by itself, once it is over. */
export async function wasKilled(child: ChildProcess): Promise<boolean> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.signalCode === "SIGKILL";
}
