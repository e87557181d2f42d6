import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import type { NetworkName } from "../../../node/networks.ts";
import type { Io } from "../../io.ts";
import { settingsTemplate } from "./template.ts";

/** Runs `init`. @throws ConfigError when the file is there already, or cannot be written */
export async function runInit(file: string, names: readonly NetworkName[], program: Command, io: Io): Promise<void> {
  const night = program.commands.find((command) => command.name() === "night");
  const text = settingsTemplate(names, night?.options ?? []);
  if (file === "-") return await io.stdout(text);
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const words = reason === "EEXIST" ? "it is there already, and is left as it is. Name another file, or `-` for stdout" : reason;
    throw new ConfigError(`could not write the settings file \`${printable(file)}\`: ${words}.`, { facts: { file, reason }, cause: error });
  }
  io.stderr(`movedex: wrote ${printable(file)}; \`movedex doctor --config ${printable(file)}\` says what is in force\n`);
}
