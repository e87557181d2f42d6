import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commandsToRead, fullName, programToRead } from "../../scripts/docs/commands.ts";
import { goldenOutputs, useGoldenPlace } from "./support/golden.ts";

useGoldenPlace();

goldenOutputs("help", [
  ["movedex.txt", "--help"],
  ...commandsToRead(await programToRead())
    .map(fullName)
    .map((name) => [`${name.replaceAll(" ", "-")}.txt`, `${name} --help`] as const),
]);

test("no golden file says `1 gaps`", () => {
  // Not of command lines; nor verbs, and levels of findings.
  const one = /(?<![\w.,:/-]|^\$ .*)1 (?:more |other )?(?!is\b|does\b|was\b|has\b|depends\b|returns\b|dangerous\b)[a-z]+s\b.*/gm;
  const files = globSync("{outputs,pages/texts}/**/*.*", { cwd: import.meta.dirname });
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap((file) => readFileSync(`${import.meta.dirname}/${file}`, "utf8").match(one) ?? [])).toEqual([]);
});
