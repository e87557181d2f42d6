import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { commandsToRead, fullName, programToRead } from "../../scripts/docs/commands.ts";
import { readMessages } from "./support/messages.ts";
import { readPages, root } from "./support/pages.ts";
import { sentencesOf, wordsIn } from "./support/sentences.ts";

const mostWords = 35;
const medianWords = 16;

function median(lengths: readonly number[]): number {
  return lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length / 2)] ?? 0;
}

/** A command's description, and what it says of each argument and option. */
function blocksOf(command: Command): string[] {
  return [command.description(), ...[...command.registeredArguments, ...command.options].map(({ description }) => description)];
}

describe("the prose of the help", async () => {
  const commands = commandsToRead(await programToRead());
  const sentences = (blocks: readonly string[]): string[] => sentencesOf({ path: "help", text: blocks.join("\n\n") });

  test.each(commands.map((command) => [fullName(command), command] as const))("%s is in short sentences", (_, command) => {
    expect(sentences(blocksOf(command)).filter((sentence) => wordsIn(sentence) > mostWords)).toEqual([]);
    expect(command.description()).toMatch(/^\p{Lu}.*[.?]$/su);
    expect(command.summary().split(" ").length).toBeLessThanOrEqual(10);
  });

  test("and half of the sentences of descriptions are shorter than the rule", () => {
    expect(median(sentences(commands.map((command) => command.description())).map(wordsIn))).toBeLessThanOrEqual(medianWords);
  });
});

describe("the prose of messages", () => {
  const sentences = readMessages().flatMap(({ file, text }) => sentencesOf({ path: file, text }).map((sentence) => ({ file, sentence })));

  test("no error, log line or note on stderr has a long sentence", () => {
    expect(sentences.length).toBeGreaterThan(400);
    expect(sentences.filter(({ sentence }) => wordsIn(sentence) > mostWords)).toEqual([]);
    expect(median(sentences.map(({ sentence }) => wordsIn(sentence)))).toBeLessThanOrEqual(medianWords);
  });
});

describe("the prose of the documentation", () => {
  test.each(readPages())("$path is in short sentences", (page) => {
    const sentences = sentencesOf(page);
    expect(sentences.filter((sentence) => wordsIn(sentence) > mostWords)).toEqual([]);
    expect(median(sentences.map(wordsIn))).toBeLessThanOrEqual(medianWords);
  });
});

test("the comments of the source have no line above 140 columns", () => {
  const files = globSync(["{jobs,scripts,sim,src,test}/**/*.ts", "*.ts"], { cwd: root });
  const isLong = (line: string): boolean => line.length > 140 && /^\s*(?:\/\/|\/?\*)/.test(line);
  const long = files.flatMap((file) =>
    readFileSync(join(root, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (isLong(line) ? `${file}:${index + 1}` : [])),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(long).toEqual([]);
});
