import { writeSync } from "node:fs";
import { watchLoop } from "./loop-watch.ts";

// Files share processes.
const shared = globalThis as { movedexLoopWatch?: (file: string) => void; movedexSetUpTimer?: NodeJS.Timeout };

/**
 * Ends this process, with the file's name, when the file keeps it in a loop for so long, or waits so long for what it does before its
 * tests: vitest limits tests and hooks alone.
 *
 * @returns what says that the file's tests begin. Of a file whose tests are all skipped nothing says so: the next file does.
 */
export function watchFile(file: string, limitMs: number): () => void {
  shared.movedexLoopWatch ??= watchLoop(limitMs);
  shared.movedexLoopWatch(file);
  clearTimeout(shared.movedexSetUpTimer);
  const timer = setTimeout(() => {
    writeSync(2, `\n${file}: its tests have not begun after ${limitMs / 1000} s. The process is ended.\n`);
    process.kill(process.pid, "SIGKILL");
  }, limitMs).unref();
  shared.movedexSetUpTimer = timer;
  return () => clearTimeout(timer);
}
