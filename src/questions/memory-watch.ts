import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** How often memory is looked at. */
const EVERY_MS = 20;

/**
 * Ends this process when it takes more than so many MiB of resident memory, from a thread of its own: the main one may be in a
 * statement that does not come back. For systems that do not bound a process themselves. Returns what
 * ends the watch, once it is kept: a thread cannot begin while the one that made it is busy.
 */
export async function watchMemory(limitMib: number): Promise<() => void> {
  const code = `
    const { parentPort, workerData: { bytes, everyMs } } = require("node:worker_threads");
    setInterval(() => { if (process.memoryUsage.rss() > bytes) process.kill(process.pid, "SIGKILL"); }, everyMs);
    parentPort.postMessage("watching");`;
  const watch = new Worker(code, { eval: true, execArgv: [], workerData: { bytes: limitMib * 1024 * 1024, everyMs: EVERY_MS } });
  await once(watch, "message");
  watch.unref();
  return () => void watch.terminate();
}
