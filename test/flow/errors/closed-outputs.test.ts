import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { createSampleLedger } from "../../../sim/index.ts";
import { launcher, nodeOfFile, runProcess, type temporaryDirectory, test } from "../../support/index.ts";

const node = await nodeOfFile({ ledger: createSampleLedger().ledger });

/** Runs a line of bash in which `$movedex` is the program, and `$db` a database. */
function inShell(place: ReturnType<typeof temporaryDirectory>, line: string) {
  const env = { ...process.env, movedex: `${process.execPath} ${launcher}`, db: place.file("a.db"), rpc: node.url };
  return runProcess("bash", ["-c", line], { cwd: place.path, env });
}

describe.skipIf(!existsSync("/dev/full"))("where nobody takes what is printed (skipped without /dev/full)", () => {
  const sync = "$movedex sync --rpc $rpc --rate 0 --db $db --account 0x1 --account 0x0 --lag 0";

  test("a full disk under the log does not end a run", async ({ place }) => {
    const run = await inShell(place, `${sync} 2> /dev/full`);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining("sealed")]);
  });

  test("a run whose reader has gone is told of, and keeps its exit code", async ({ place }) => {
    const run = await inShell(place, `${sync} --summary-file summary.jsonl | true; echo \${PIPESTATUS[0]}`);
    expect(run.stdout).toBe("0\n");
    expect(JSON.parse(readFileSync(place.file("summary.jsonl"), "utf8"))).toMatchObject({ exit: "done" });
    writeFileSync(place.file("bad.mv"), "no bytecode");
    expect((await inShell(place, `$movedex decode bad.mv | true; echo \${PIPESTATUS[0]}`)).stdout).toBe("2\n");
  });

  test("a full disk under the answer is a failure with a code, and what follows the run still follows", async ({ place }) => {
    const run = await inShell(place, `${sync} --json --summary-file summary.jsonl > /dev/full`);
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringMatching(/^movedex: could not print \(ENOSPC\)\. What was stored by then is kept\./m),
    ]);
    const summary = JSON.parse(readFileSync(place.file("summary.jsonl"), "utf8"));
    expect(summary).toMatchObject({ exit: "failed", error: { code: "MOVEDEX_OUTPUT" } });
    expect((await inShell(place, "$movedex query --db $db 'SELECT count(*) AS n FROM snapshots' --format csv")).stdout).toBe("n\r\n1\r\n");
  });
});
