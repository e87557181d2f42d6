import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../test.ts";
import { sweepRuns } from "./run-directory.ts";

async function startIdle(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", "console.log('here'); setInterval(() => {}, 1000)", "--", ...args], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

test.skipIf(process.platform !== "linux")(
  "what a killed run of the tests left is ended and removed by the next, and nothing else",
  async ({ place }) => {
    // A process that has ended, and so an identifier that nothing has.
    const dead = spawn(process.execPath, ["-e", ""]);
    await once(dead, "exit");
    const left = place.file(`movedex-run-${dead.pid}`);
    const other = place.file(`movedex-run-${process.pid}`);
    for (const directory of [left, other]) {
      mkdirSync(directory);
      writeFileSync(join(directory, "night.db"), "");
    }
    const ofLeft = [await startIdle(["--db", join(left, "night.db")], {}), await startIdle([], { TMPDIR: left })];
    const ended = ofLeft.map((child) => once(child, "exit"));
    ofLeft[1]?.kill("SIGSTOP");
    const ofOther = await startIdle(["--db", join(other, "night.db")], { TMPDIR: other });
    try {
      await sweepRuns(place.path);
      await Promise.all(ended);
      expect([existsSync(left), existsSync(join(other, "night.db"))]).toEqual([false, true]);
      expect([ofOther.exitCode, ofOther.signalCode]).toEqual([null, null]);
    } finally {
      ofOther.kill("SIGKILL");
    }
  },
);

test("a file system that a killed run had mounted is taken away with its directory", async ({ place, skip }) => {
  const dead = spawn(process.execPath, ["-e", ""]);
  await once(dead, "exit");
  const left = place.file(`movedex-run-${dead.pid}`);
  const mounted = join(left, "movedex-test-disk");
  mkdirSync(mounted, { recursive: true });
  skip(spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", mounted]).status !== 0, "nothing may be mounted here");
  await sweepRuns(place.path);
  expect(existsSync(left)).toBe(false);
});
