import { once } from "node:events";
import { Worker } from "node:worker_threads";

const EVERY_MS = 20;

/**
 * Ends this process above so many MiB of resident memory, from a thread of its own, since the main one may be stuck in a
 * statement: for systems without such a bound. @returns what ends the watch, once it is kept
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
