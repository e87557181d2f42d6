import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { launcher } from "../../../support/command/movedex-process.ts";

/** `movedex serve` as a process of its own, killed at the end of its scope if it still runs. */
export type ServeProcess = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** What it wrote to stderr. */
  readonly stderr: () => string;
  /** Ends it by SIGTERM; resolves with its exit code. */
  readonly stop: () => Promise<number | null>;
};

/** Starts `movedex serve --port 0 --json` with more arguments; resolves once it listens. */
export async function startServeProcess(args: readonly string[]): Promise<ServeProcess> {
  const child = spawn(process.execPath, [launcher, "serve", "--port", "0", "--json", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line").then(([line]) => String(line)), exited.then(() => undefined)]);
  if (first === undefined) throw new Error(`serve ended at once: ${stderr}`);
  const { url } = JSON.parse(first) as { url: string };
  const stop = async (): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    return (await exited)[0];
  };
  return {
    url,
    port: Number(new URL(url).port),
    child,
    stderr: () => stderr,
    stop,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await exited;
    },
  };
}
