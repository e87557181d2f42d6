import type { Command, Option } from "commander";

/** The options `--config` and `--section` themselves, and what is no setting. */
const NOT_IN_FILE = new Set(["config", "section", "help", "version"]);

/** The keys that options are in a settings file. */
export function keysOf(options: readonly Option[]): Set<string> {
  return new Set(options.map(({ long }) => long?.slice(2) ?? "").filter((key) => !NOT_IN_FILE.has(key)));
}

/** The options of a command and of its subcommands. */
export function optionsOf(command: Command): readonly Option[] {
  return [command, ...command.commands].flatMap(({ options }) => options);
}
