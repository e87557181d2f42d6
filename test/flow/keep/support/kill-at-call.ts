import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * Loaded before a command line, kills its process at one of the calls by which it changes files, the n-th of MOVEDEX_KILL_AT. A write is
 * cut in half, any other call is not done. Without that variable it says at the end, in the file MOVEDEX_KILL_CALLS, which calls there
 * were, and how much each would write.
 */
const killAt = Number(process.env["MOVEDEX_KILL_AT"] ?? 0);
const report = process.env["MOVEDEX_KILL_CALLS"];
const calls: [name: string, size: number][] = [];
const { writeFileSync } = fs;

for (const name of ["openSync", "writeFileSync", "fsyncSync", "closeSync", "mkdirSync", "renameSync", "rmSync"] as const) {
  const call = fs[name] as (...args: unknown[]) => unknown;
  const counted = (...args: unknown[]): unknown => {
    const data = name === "writeFileSync" ? (args[1] as string | Uint8Array) : "";
    calls.push([name, data.length]);
    if (calls.length === killAt) {
      if (data.length > 0) writeFileSync(args[0] as number, data.slice(0, data.length / 2), args[2] as fs.WriteFileOptions);
      process.kill(process.pid, "SIGKILL");
    }
    return call(...args);
  };
  Object.assign(fs, { [name]: counted });
}
syncBuiltinESMExports();
if (report !== undefined) process.once("exit", () => writeFileSync(report, JSON.stringify(calls)));
