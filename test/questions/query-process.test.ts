import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { openStore } from "../../src/core/work/store.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const source = new URL("../../src/core/questions/query-process.ts", import.meta.url).href;
const canFollow = spawnSync("setpriv", ["--pdeathsig", "KILL", "true"]).status === 0;

test.runIf(canFollow)("a statement without an end ends with the process that asked it, however that one ended", async () => {
  using place = temporaryDirectory();
  const path = place.file("archive.db");
  await (await openStore(path, { mode: "write", now: () => 0, appVersion: "9.9.9" })).close();
  const sql = "WITH RECURSIVE a (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM a) SELECT count(*) FROM a";
  const asks = `const { startQuery } = await import(${JSON.stringify(source)});
    const query = ${JSON.stringify({ path, sql, format: "csv", maxRows: 0, params: {}, width: null })};
    process.stdout.write(String(startQuery(query).pid));`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", asks], { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = (await once(parent.stdout, "data")).map(Number) as [number];
  expect(process.kill(pid, 0)).toBe(true);
  // Its statement has begun by then, or begins without anyone to ask it.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  parent.kill("SIGKILL");
  await once(parent, "close");
  await expect
    .poll(() =>
      spawnSync("ps", ["-o", "stat=", "-p", `${pid}`])
        .stdout.toString()
        .replace(/^Z.*/, "")
        .trim(),
    )
    .toBe("");
});

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
