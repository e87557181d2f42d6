import { Command, Option } from "commander";

/** A command as it is declared: options in short, and a help that ends with examples. */
export class DeclaredCommand extends Command {
  /** Adds options that commands share. */
  with(addOptions: (command: DeclaredCommand) => void): this {
    addOptions(this);
    return this;
  }

  /** Adds an option that is one of some words. */
  choice(flags: string, description: string, choices: readonly string[], byDefault?: string): this {
    return this.addOption(new Option(flags, description).choices(choices).default(byDefault));
  }

  /** Adds `--format`, by default the first of the formats, and `--json`, which stands over it. */
  formats(formats: readonly string[], description = "output format"): this {
    return this.choice("-f, --format <format>", description, formats, formats[0])
      .option("--json", "the same as --format json")
      .hook("preAction", (command) => {
        if (command.opts<{ json?: boolean }>().json === true) command.setOptionValue("format", "json");
      });
  }

  /** Ends the help with command lines, without their `movedex`. */
  examples(...lines: readonly string[]): this {
    const title = lines.length === 1 ? "Example" : "Examples";
    return this.addHelpText("after", `\n${title}:\n${lines.map((line) => `  $ movedex ${line}`).join("\n")}`);
  }
}
