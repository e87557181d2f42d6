import type { Command } from "commander";
import { systemClock } from "../../src/base/time/clock.ts";
import type { Io } from "../../src/cli/io.ts";
import { DeclaredCommand } from "../../src/cli/options/declared-command.ts";
import { buildProgram } from "../../src/cli/program.ts";
import { fenced } from "./blocks.ts";

/** Columns that help is broken to: what a page of documentation has room for. */
const WIDTH = 100;

/** The whole command line, for looking at; nothing of it can be run. */
export function programToRead(): Command {
  const io: Io = {
    stdin: async function* () {},
    stdout: async () => {},
    isReaderGone: () => false,
    stderr: () => {},
    env: {},
    clock: systemClock,
    stderrIsTerminal: false,
    stdoutIsTerminal: false,
    columns: WIDTH,
    onStopSignal: () => () => {},
    statusLine: () => {},
  };
  return buildProgram(io, async () => 0);
}

/** Every command that help lists and that is not made of others, in the order of the program. */
export function commandsToRead(program = programToRead()): readonly DeclaredCommand[] {
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

/** A list of all commands with links, then each command's help. */
export function commandsMarkdown(): string {
  const commands = commandsToRead();
  const links = commands.map((command) => {
    const name = fullName(command);
    return `[\`${name}\`](#${name.replaceAll(" ", "-")})`;
  });
  const sections = commands.map((command) => `## \`${fullName(command)}\`\n\n${fenced(helpOf(command))}`);
  return [links.join(" · "), ...sections].join("\n\n");
}

/** A command's help, at a fixed width. */
export function helpOf(command: Command): string {
  let text = "";
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return text.trimEnd();
}
