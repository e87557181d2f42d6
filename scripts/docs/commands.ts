import type { Command, Option } from "commander";
import { capabilities as listed } from "../../src/capabilities.ts";
import { systemClock } from "../../src/core/base/time.ts";
import { capabilitiesFor } from "../../src/core/cli/core-commands.ts";
import type { Io } from "../../src/core/cli/io.ts";
import { DeclaredCommand } from "../../src/core/cli/options/declared-command.ts";
import { buildProgram } from "../../src/core/cli/program.ts";
import { fenced, markdownRows } from "./blocks.ts";

/** Columns that help is broken to: what a page of documentation has room for. */
const WIDTH = 100;

/** The whole command line, for looking at; nothing of it can be run. */
export async function programToRead(): Promise<Command> {
  const io: Io = {
    stdin: async function* () {},
    stdout: async () => {},
    isReaderGone: () => false,
    stderr: () => {},
    env: {},
    clock: systemClock,
    host: "",
    stderrIsTerminal: false,
    isOnePlace: false,
    stdoutIsTerminal: false,
    columns: WIDTH,
    onStopSignal: () => () => {},
    statusLine: () => {},
    hooks: [],
  };
  return buildProgram(io, await capabilitiesFor([], listed));
}

/** Every command that help lists and that is not made of others, in the order of the program. */
export function commandsToRead(program: Command): readonly DeclaredCommand[] {
  const listed = (command: Command): readonly Command[] =>
    command
      .createHelp()
      .visibleCommands(command)
      .filter((child) => child.name() !== "help");
  const commands = listed(program).flatMap((command) => (command.commands.length > 0 ? listed(command) : [command]));
  return commands.filter((command) => command instanceof DeclaredCommand);
}

/** A command's name as it is typed: `targets add`. */
export function fullName(command: Command): string {
  return command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name();
}

/** How many commands have to have an option in the same words, so that the page describes it once for all of them. */
const FEWEST_COMMANDS = 2;

/** Options that nearly every command has, and those of a command that asks a node: named once for all of them. */
const ofDatabase = ["--db", "--schema", "--config", "--section"];
const ofNode = ["--rpc", "--network", "--node-name", "--encoding", "--rate", "--concurrency", "--max-requests"];

/** A list of all commands with links, the options that several of them share, then each command's help without these. */
export async function commandsMarkdown(): Promise<string> {
  const commands = commandsToRead(await programToRead());
  const links = commands.map((command) => {
    const name = fullName(command);
    return `[\`${name}\`](#${name.replaceAll(" ", "-")})`;
  });
  const shared = sharedOptions(commands);
  const rows = shared.map(([{ command, option }]) => [`\`${option.flags}\``, command.createHelp().optionDescription(option)]);
  for (const { option } of shared.flat()) option.hideHelp();
  const hidden = new Set(shared.flat().map(({ option }) => option));
  const sections = commands.map((command) => {
    const names = command.options.filter((option) => hidden.has(option)).map(({ long }) => long as string);
    const listed = namesBelow(names, command);
    const rest = listed.length === 0 ? "" : `\n\nShared: ${listed.join(", ")}.`;
    return `## \`${fullName(command)}\`\n\n${fenced(withoutUsage(helpOf(command.helpOption(false))))}${rest}`;
  });
  const without = commands.filter((command) => !hasAll(command, ofDatabase)).map(fullName);
  const once = [
    `Every command but ${code(without).join(", ")} has ${code(ofDatabase).join(", ")}.`,
    `The options of a node are ${code(ofNode).join(", ")}.`,
  ];
  const table = markdownRows(["option", "meaning"], rows);
  return [links.join(" · "), "## Shared options", once.join(" "), table, ...sections].join("\n\n");
}

/** A help without its first line where that says only the command's name. */
const withoutUsage = (help: string): string => help.replace(/^Usage: [^<[]*(?: \[options\])?\n\n/, "");

const code = (words: readonly string[]): string[] => words.map((word) => `\`${word}\``);

const hasAll = ({ options }: Command, group: readonly string[]): boolean =>
  group.every((name) => options.some(({ long }) => long === name));

/** The shared options that are named below a command. */
function namesBelow(names: readonly string[], command: Command): string[] {
  const ofNodes = ofNode.every((name) => names.includes(name));
  const said = [...(hasAll(command, ofDatabase) ? ofDatabase : []), ...(ofNodes ? ofNode : [])];
  return [...(ofNodes ? ["the options of a node"] : []), ...code(names.filter((name) => !said.includes(name)))];
}

type Taken = { readonly command: Command; readonly option: Option };

/** By its flags, each option that commands enough have in the same words, with these commands; of several wordings the commonest. */
function sharedOptions(commands: readonly Command[]): readonly (readonly [Taken, ...Taken[]])[] {
  const all = commands.flatMap((command) => command.options.filter(({ hidden }) => !hidden).map((option) => ({ command, option })));
  return [...Map.groupBy(all, ({ option }) => option.long).values()].flatMap((sameFlag) => {
    const wordings = Map.groupBy(sameFlag, ({ command, option }) => `${option.flags} ${command.createHelp().optionDescription(option)}`);
    const [most] = [...wordings.values()].toSorted((a, b) => b.length - a.length);
    return most !== undefined && most.length >= FEWEST_COMMANDS ? [most as [Taken, ...Taken[]]] : [];
  });
}

/** A command's help in so many columns. */
export function helpOf(command: Command, columns = WIDTH): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => columns });
  command.outputHelp();
  return text.trimEnd();
}
