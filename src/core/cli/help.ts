import type { Command } from "commander";
import { suggestNames } from "../base/names.ts";
import { hangingText, printable } from "../base/printable.ts";
import { exitCodes } from "../exit-codes.ts";
import { MovedexCommand, NARROWEST_WRAP } from "./movedex-command.ts";
import { refuseRetired } from "./options/retired.ts";

const FIRST_STEPS = [
  ["movedex demo", "try it, without a network"],
  ["movedex doctor --network aptos-mainnet", "check that a node can be used"],
  ["movedex sync --network aptos-mainnet", "archive its framework accounts"],
  ["movedex show coin", "print one of the modules"],
] as const;

/** What follows the lists of the main help, in lines of at most `width` characters: exit codes, and last the first steps. */
export function programFooter(width: number): string {
  const codes = Object.values(exitCodes).map(({ code, meaning }) => hangingText(`  ${String(code).padStart(3)}  `, meaning, width));
  const commandWidth = Math.max(...FIRST_STEPS.map(([command]) => command.length));
  const isWide = width >= commandWidth + 2 * NARROWEST_WRAP;
  const steps = FIRST_STEPS.map(([command, why]) =>
    isWide ? hangingText(`  $ ${command.padEnd(commandWidth)}  `, why, width) : `  $ ${command}\n    ${why}`,
  );
  return ["", "Exit codes:", ...codes, "", "Start here (`movedex help <command>` has examples):", ...steps].join("\n");
}

/** The help of a command; commander's own answers a misspelt name with the help of the program. */
export function helpCommand(): MovedexCommand {
  return new MovedexCommand("help")
    .summary("print the help of a command")
    .description("Print the help of movedex or of a command.")
    .argument("[command...]", "such as sync, or targets add")
    .examples("help targets add")
    .action((names: readonly string[], _, { parent: program }: Command) => names.reduce(childOf, program as Command).outputHelp());
}

function childOf(command: Command, name: string): Command {
  const children = command.commands.filter((child) => child.description() !== "");
  const found = children.find((child) => child.name() === name);
  if (found !== undefined) return found;
  const names = children.map((child) => child.name());
  const near = suggestNames(name, names);
  refuseRetired(command, name);
  return command.error(`error: unknown command \`${printable(name, 60)}\`.${near}`, { code: "commander.unknownCommand" });
}
