import { afterAll, beforeAll, expect } from "vitest";
import { removeTemporaryDirectories } from "../temporary-directory.ts";
import { watchFile } from "./file-watch.ts";

/**
 * As long as the longest test may take in the short run and in the long one. Nothing that works keeps a loop, or a file from its tests,
 * for a tenth of it.
 */
const LIMIT_MS = process.env["MOVEDEX_TEST_RUN"] === "long" ? 20 * 60_000 : 5 * 60_000;

// This is read for each file, before what the file does at its top.
const endOfSetUp = watchFile(expect.getState().testPath ?? "", LIMIT_MS);
beforeAll(endOfSetUp);
afterAll(removeTemporaryDirectories);
