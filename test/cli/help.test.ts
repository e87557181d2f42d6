import type { Command } from "commander";
import { describe, expect, test } from "vitest";
import { capabilities as listed } from "../../src/capabilities.ts";
import { packageVersion } from "../../src/core/base/files.ts";
import { capabilitiesFor } from "../../src/core/cli/core-commands.ts";
import { processIo, withStatusLine } from "../../src/core/cli/io.ts";
import { buildProgram } from "../../src/core/cli/program.ts";
import { exitCodes } from "../../src/core/exit-codes.ts";
import { ended, runCli } from "../support/index.ts";

const capabilities = await capabilitiesFor([], listed);
const program = await buildProgram(withStatusLine({ ...processIo(), columns: 80 }), capabilities);
const commands = program.commands.filter((command) => !["query-worker", "console-worker", "work", "complete"].includes(command.name()));
const leaves = commands.flatMap((command) => (command.commands.length > 0 ? command.commands : [command]));

/** The help of a command on a terminal of so many columns. */
function helpOf(command: Command, columns = 80): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => columns });
  command.outputHelp();
  return text;
}

describe("the main help", () => {
  const help = helpOf(program);

  test("fits 80 columns, and has a line for every command in a group", () => {
    for (const line of help.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    for (const command of commands) {
      expect(command.helpGroup()).toMatch(/^[A-Z].*:$/);
      expect(help).toMatch(new RegExp(`^  ${command.name()} +${command.summary()[0]}`, "m"));
    }
    expect(help).not.toMatch(/^Commands:$/m);
  });

  test("ends with first steps whose commands exist, below the exit codes", () => {
    const steps = help.slice(help.indexOf("Start here"));
    const named = [...steps.matchAll(/^ {2}\$ movedex (\w+)/gm)].map((match) => match[1]);
    expect(named).toEqual(["demo", "doctor", "sync", "show"]);
    for (const name of named) expect(commands.some((command) => command.name() === name)).toBe(true);
    for (const { code } of Object.values(exitCodes)) expect(help).toMatch(new RegExp(`^ +${code}  `, "m"));
  });
});

describe("every command's help", () => {
  test.each(leaves.map((command) => [command.name(), command] as const))("%s: an example, and values as they are typed", (_, command) => {
    const help = helpOf(command);
    expect(help).toMatch(/\nExamples?:\n {2}\$ .*movedex /);
    expect(help).not.toMatch(/(?:default|choices): [{"[]|\[object/);
  });

  test.each([60, 80])("fits %i columns, but for the command lines of examples", async (columns) => {
    const narrow = await buildProgram(withStatusLine({ ...processIo(), columns }), capabilities);
    const all = narrow.commands
      .flatMap((command) => [command, ...command.commands])
      .filter((command) => !["query-worker", "console-worker", "work", "complete"].includes(command.name()));
    const isLong = (line: string) => line.length > columns && (columns === 80 || !/^ {2}\$ movedex /.test(line));
    for (const command of [narrow, ...all]) expect(helpOf(command, columns).split("\n").filter(isLong), command.name()).toEqual([]);
  });
});

describe("help", () => {
  test("prints what --help prints", async () => {
    const { exitCode } = process;
    // As bin/movedex.mjs sets it.
    process.exitCode = 13;
    for (const names of [[], ["sync"], ["targets"], ["targets", "add"]])
      expect(await runCli(["help", ...names])).toMatchObject({ code: 0, stdout: (await runCli([...names, "--help"])).stdout });
    process.exitCode = exitCode;
  });

  test.each([
    ["help synk", "unknown command `synk`. Did you mean `sync`"],
    ["help targets ad", "unknown command `ad`. Did you mean `add`"],
    ["help zzzzzzz", "unknown command `zzzzzzz`."],
    ["help query-worker", "unknown command `query-worker`."],
  ])("%s", async (line, message) => {
    const { code, stdout, stderr } = await runCli(line.split(" "));
    expect({ isDone: code === 0, stdout }).toEqual({ isDone: false, stdout: "" });
    expect(stderr).toContain(message);
  });
});

test("an account given as a bare word ends with the option for it", async () => {
  const { stderr } = await ended(runCli(["sync", "0x1"]), 64);
  expect(stderr).toContain("but got 1: 0x1. Name an account with --account.\n");
});

test("a command that went ends with what to use, whatever its options", async () => {
  for (const words of [
    ["site", "--out", "pages"],
    ["help", "site"],
  ]) {
    const { stderr } = await ended(runCli(words), 64);
    expect(stderr).toBe("movedex: the command `site` is gone: `serve` shows the same pages.\nRun with --help for usage.\n");
  }
});

describe("the version", () => {
  test.each([["-v"], ["--version"], ["-V"], ["version"]])("%s prints it", async (word) => {
    const { stdout } = await ended(runCli([word]));
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test("--check is named as retired", async () => {
    const { stdout, stderr } = await ended(runCli(["version", "--check"]));
    expect(stderr).toBe("movedex: the option --check is gone: https://github.com/movedex/movedex/releases has the newest version.\n");
    expect(stdout).toBe(`${packageVersion()}\n`);
  });
});
