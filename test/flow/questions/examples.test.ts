import { afterAll, beforeAll, expect, test } from "vitest";
import { answersOf, ExampleScene, helpExamples, servers } from "../../support/command/help-examples.ts";
import { ManualClock, runCli, temporaryDirectory } from "../../support/index.ts";

const home = process.cwd();
const place = temporaryDirectory();
let scene: ExampleScene;

beforeAll(async () => {
  process.chdir(place.path);
  scene = await ExampleScene.open(place.path, runCli);
});
afterAll(async () => {
  process.chdir(home);
  await scene?.[Symbol.asyncDispose]();
});

const examples = await helpExamples();

test.each(examples)("the examples in the help: $name: $line", async (example) => {
  const { name } = example;
  let stop: (() => void) | undefined;
  const run = runCli(scene.prepare(example), {
    env: { DATABASE_URL: "night.db", BROWSER: "true" },
    // Without --rate a night keeps the node's pace, which is no part of what is shown here.
    ...(name === "backfill" ? { clock: new ManualClock({ skipSleeps: true, startMs: Date.now() }) } : {}),
    signals: (deliver) => {
      stop = () => deliver("SIGTERM");
    },
  });
  if (servers.has(name)) {
    await expect.poll(() => stop).toBeDefined();
    stop?.();
  }
  const { code, stderr } = await run;
  expect(answersOf(name), stderr).toContain(code);
});
