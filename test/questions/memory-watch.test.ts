import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";

const watch = new URL("../../src/core/questions/query-process.ts", import.meta.url).href;

/** A process that takes 4 MB again and again and never gives its thread back; it ends by itself at 480 MB. */
const greedy = (limitMib: number): string => `const { watchMemory } = await import(${JSON.stringify(watch)});
  await watchMemory(${limitMib});
  const [kept, pause] = [[], new Int32Array(new SharedArrayBuffer(4))];
  while (kept.length < 120) { kept.push(Buffer.alloc(4_000_000, 1)); Atomics.wait(pause, 0, 0, 8); }
  process.exit(0);`;

test.each([
  [250, [null, "SIGKILL"]],
  [4000, [0, null]],
])("a process that may take %d MiB ends as it should, though its thread is in a loop", async (limitMib, expected) => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", greedy(limitMib)], { stdio: "ignore" });
  expect(await once(child, "close")).toEqual(expected);
});
