import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runProcess } from "../run-process.ts";

const watch = fileURLToPath(new URL("file-watch.ts", import.meta.url));
const outcomeOf = (program: string) =>
  runProcess(process.execPath, ["--input-type=module", "--eval", `import { watchFile } from ${JSON.stringify(watch)}; ${program}`]);

test("ends a process that waits without end for what a file does before its tests, with the file's name", async () => {
  const { code, stderr } = await outcomeOf(`
    const endOfSetUp = watchFile("test/skipped.test.ts", 500);
    watchFile("test/waiting.test.ts", 500);
    endOfSetUp();
    setInterval(() => {}, 60_000);`);
  expect([code, stderr]).toEqual([null, expect.stringContaining("test/waiting.test.ts: its tests have not begun after 0.5 s")]);
});

test("leaves alone one whose tests have begun, and keeps none from its end", async () => {
  const program = `
    watchFile("test/begun.test.ts", 50)();
    setTimeout(() => {}, 200);`;
  expect(await outcomeOf(program)).toEqual({ code: 0, stdout: "", stderr: "" });
});
