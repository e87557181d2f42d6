import { Worker } from "node:worker_threads";

const NAME_BYTES = 1_000;

// In a thread of its own, since the other one never comes back; and written at once, since that one passes on what a thread prints.
const code = `const { workerData: { beats, name, limitMs } } = require("node:worker_threads");
const { writeSync } = require("node:fs");
let [seen, since] = [-1, Date.now()];
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  if (beat !== seen) [seen, since] = [beat, Date.now()];
  if (Date.now() - since < limitMs) return;
  const file = Buffer.from(name).toString().replace(/\\0+$/, "");
  writeSync(2, \`\\n\${file}: an endless loop: nothing else was done for \${limitMs / 1000} s. The process is ended.\\n\`);
  process.kill(process.pid, "SIGKILL");
}, limitMs / 10);`;

/**
 * Ends this process, with the name of the file at work in it, when it has not come back to its event loop for so long: a limit of
 * vitest's cannot, since that is a timer of the same loop.
 *
 * @returns what tells it which file is at work now
 */
export function watchLoop(limitMs: number): (file: string) => void {
  const [beats, name] = [new Int32Array(new SharedArrayBuffer(4)), new Uint8Array(new SharedArrayBuffer(NAME_BYTES))];
  new Worker(code, { eval: true, execArgv: [], workerData: { beats, name, limitMs } }).unref();
  setInterval(() => Atomics.add(beats, 0, 1), limitMs / 20).unref();
  return (file) => {
    name.fill(0).set(Buffer.from(file).subarray(0, NAME_BYTES));
  };
}
