import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { describe, expect, test } from "vitest";
import { programToRead } from "../../scripts/docs/commands.ts";
import { reachedFrom } from "../support/imports.ts";
import { readPages, root, shellLines, shellWords } from "./support/pages.ts";

const program = await programToRead();
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

/** Lines of shell blocks, and movedex command lines between backticks. */
const lines = readPages().flatMap((page) => {
  const prose = page.text.replaceAll(/^```[\s\S]*?^```$/gm, "").replaceAll(/^<!-- begin [\s\S]*?^<!-- end /gm, "");
  const inline = [...prose.matchAll(/`((?:npx )?movedex [^`\n]+)`/g)].map((match) => match[1] as string);
  return [...shellLines(page), ...inline].map((line) => ({ path: page.path, line }));
});

/** What keeps a line from being a movedex command line; undefined for nothing. Words in capitals stand for values. */
function complaint(line: string): string | undefined {
  const inner = /^eval "\$\((.*)\)"$/.exec(line)?.[1] ?? line;
  const words = shellWords(inner);
  const start = words.indexOf("movedex") + 1;
  let command: Command = program;
  let rest = words.slice(start, words.includes("|") ? words.indexOf("|") : undefined);
  for (let next = find(command, rest[0]); next !== undefined; next = find(command, rest[0])) {
    command = next;
    rest = rest.slice(1);
  }
  if (command === program && !(rest[0] ?? "-").startsWith("-") && !/^[A-Z<…]/.test(rest[0] ?? "")) return `no command \`${rest[0]}\``;
  const options: readonly Option[] = command === program ? program.createHelp().visibleOptions(program) : command.options;
  const unknown = rest
    .filter((word) => /^--?[a-z]/.test(word))
    .filter((word) => word !== "--help" && word !== "-h" && !options.some(({ long, short }) => word === long || word === short));
  return unknown.length === 0 ? undefined : `\`${command.name()}\` has no ${unknown.join(", ")}`;
}

const find = (command: Command, name: string | undefined): Command | undefined => command.commands.find((child) => child.name() === name);

describe("command lines in the documentation", () => {
  test("name commands and options that movedex has", () => {
    const ours = lines.filter(({ line }) => /(^|\(|npx )movedex /.test(line));
    expect(ours.length).toBeGreaterThan(30);
    expect(ours.map(({ path, line }) => ({ path, line, wrong: complaint(line) })).filter(({ wrong }) => wrong !== undefined)).toEqual([]);
  });

  test("name programs that run without vitest, whose `test.extend` fails outside of it", () => {
    const texts = [...readPages().map(({ text }) => text), readFileSync(join(root, "test/bench/results.md"), "utf8")];
    const programs = new Set(
      texts.flatMap((text) => Array.from(text.matchAll(/\bnode ((?:scripts|sim|test)\/[\w/-]+\.ts)\b/g), ([, file]) => file)),
    );
    expect(programs.size).toBeGreaterThan(5);
    expect([...programs].filter((file) => reachedFrom(`../${file}`).has("../test/support/test.ts"))).toEqual([]);
  });

  test("name npm scripts that there are", () => {
    const names = lines.map(({ line }) => /\bnpm run (?:-s )?([\w:-]+)/.exec(line)?.[1]).filter((name) => name !== undefined);
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
