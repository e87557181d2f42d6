import { describe, expect } from "vitest";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { test } from "../../support/test.ts";
import { between, documentedPatterns, killedUpdates, patternsOf, readByDuckDb, runAgain } from "./support/killed-exports.ts";
import { holdTwoNights } from "./support/two-nights-held.ts";

describe("an export that is killed", async () => {
  const { first, second } = await holdTwoNights(6, 4);

  test("is read under the patterns of the documentation as it was before, or as it is after", async ({ place }) => {
    const before = place.file("before");
    const argv = ["--db", second, "--format", "csv"];
    await ended(runCli(["export", before, "--db", first, "--format", "csv"]));
    const { after, killed } = await killedUpdates(place.path, { before, format: "csv", argv }, 3);
    const patterns = patternsOf({ format: "csv" }).filter((pattern) =>
      /\b(?:functions_history|snapshots|gaps|archive_modules)\b/.test(pattern),
    );
    const [old, fresh] = [await readByDuckDb(before, patterns), await readByDuckDb(after, patterns)];
    expect(old["*/functions_history.csv"]).not.toBe(fresh["*/functions_history.csv"]);
    for (const directory of killed) {
      expect([directory, between(await readByDuckDb(directory, patterns), old, fresh)]).toEqual([directory, []]);
      await runAgain(directory, after, argv);
    }
  });

  test("is tested under every pattern of the documentation", () => {
    const tested = [...patternsOf({ format: "csv" }), ...patternsOf({ format: "csv", isPartitioned: true })];
    const shapes = tested.map((pattern) => pattern.replace(/(?<=\/)\w+/, "T").replace(/\.csv$/, ".x"));
    expect([...documentedPatterns()].filter((pattern) => !shapes.includes(pattern))).toEqual([]);
    expect(documentedPatterns()).toContain("*/T.x");
  });
});
