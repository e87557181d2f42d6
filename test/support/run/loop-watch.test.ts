import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProcess } from "../run-process.ts";

const watch = fileURLToPath(new URL("loop-watch.ts", import.meta.url));

test("ends a process that never comes back from a loop, with its file's name", async () => {
  const program = `import { watchLoop } from ${JSON.stringify(watch)};
    watchLoop(500)("test/endless.test.ts");
    for (;;) await null;`;
  const { code, stderr } = await runProcess(process.execPath, ["--input-type=module", "--eval", program]);
  expect([code, stderr]).toEqual([null, expect.stringContaining("test/endless.test.ts: an endless loop")]);
});

test("leaves alone one that works, and keeps none from its end", async () => {
  const program = `import { watchLoop } from ${JSON.stringify(watch)};
    watchLoop(60_000)("test/short.test.ts");`;
  expect(await runProcess(process.execPath, ["--input-type=module", "--eval", program])).toEqual({ code: 0, stdout: "", stderr: "" });
});
