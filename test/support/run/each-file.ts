import { afterAll, beforeAll, expect } from "vitest";
import { removeTemporaryDirectories } from "../temporary-directory.ts";
import { watchLoop } from "./loop-watch.ts";

/** As long as the longest test may take in the short run and in the long one; nothing that works keeps a loop for a tenth of it. */
const LIMIT_MS = process.env["MOVEDEX_TEST_RUN"] === "long" ? 20 * 60_000 : 5 * 60_000;

// Files share processes, and this is read for each of them.
const shared = globalThis as { movedexLoopWatch?: (file: string) => void };
beforeAll(() => {
  shared.movedexLoopWatch ??= watchLoop(LIMIT_MS);
  shared.movedexLoopWatch(expect.getState().testPath ?? "");
});
afterAll(removeTemporaryDirectories);
