import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

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

/** Runs a program to its end without blocking this process, whose servers it may talk to. */
export async function runProcess(
  file: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, stdout, stderr };
}
