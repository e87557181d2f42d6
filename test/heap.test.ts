import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { ended, runProcess } from "./support/index.ts";

const module = new URL("../bin/heap.mjs", import.meta.url).href;

/** Grows it, prints its size, lets much more survive, and prints it again. */
const script = `
  import { getHeapSpaceStatistics } from "node:v8";
  const { growYoungGeneration } = await import(${JSON.stringify(module)});
  const size = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size;
  growYoungGeneration();
  const sizes = [size()];
  for (let i = 0, kept = []; i < 200; i++) kept.push(Array.from({ length: 10_000 }, (_, n) => ({ n })));
  sizes.push(size());
  console.log(JSON.stringify(sizes));`;

test("the young generation of the launched program grows to semi-spaces of 8 MB, and no further", async () => {
  const { stdout } = await ended(
    runProcess(process.execPath, ["--input-type=module", "-e", script], { cwd: fileURLToPath(new URL("..", import.meta.url)) }),
  );
  const [grown, later] = JSON.parse(stdout) as [number, number];
  expect(grown).toBe(2 * 8 * 1024 * 1024);
  expect(later).toBe(grown);
});
