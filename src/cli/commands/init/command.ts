import { writeFileSync } from "node:fs";
import { Command, Option } from "commander";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import { type NetworkName, networks } from "../../../node/networks.ts";
import type { Io } from "../../io.ts";

/** `movedex init`: a settings file to begin with. `program` is asked for the options of `night` when the file is wanted. */
export function initCommand(io: Io, program: Command): Command {
  return new Command("init")
    .summary("write a commented settings file for --config")
    .description(
      "Write a settings file, in which each option of a night has a line with its meaning. Then one cron line, `movedex night --config FILE`, runs the nights of all its networks one after the other.",
    )
    .argument("[file]", "the file to write; - is stdout", "movedex.toml")
    .addOption(
      new Option("--network <name...>", "the networks that get a section")
        .choices(Object.keys(networks))
        .default(["aptos-mainnet"], "aptos-mainnet"),
    )
    .addHelpText("after", "\nExample:\n  $ movedex init --network aptos-mainnet movement-mainnet")
    .action((file: string, flags: { readonly network: readonly NetworkName[] }) =>
      writeSettings(file, [...new Set(flags.network)], program, io),
    );
}

/** @throws ConfigError when the file is there already, or cannot be written */
async function writeSettings(file: string, names: readonly NetworkName[], program: Command, io: Io): Promise<void> {
  const { settingsTemplate } = await import("./template.ts");
  const night = program.commands.find((command) => command.name() === "night");
  const text = settingsTemplate(names, night?.options ?? []);
  if (file === "-") return await io.stdout(text);
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const message = reason === "EEXIST" ? "it is there already, and is left as it is. Name another file, or `-` for stdout" : reason;
    throw new ConfigError(`could not write the settings file \`${printable(file)}\`: ${message}.`, {
      facts: { file, reason },
      cause: error,
    });
  }
  io.stderr(`movedex: wrote ${printable(file)}; \`movedex doctor --config ${printable(file)}\` says what is in force\n`);
}
