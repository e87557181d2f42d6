import type { Command } from "commander";
import { ConfigError } from "../../../errors.ts";

/** Which formats take an option; all take the others. */
const takers: Readonly<Record<string, readonly string[]>> = {
  tables: ["parquet", "csv", "jsonl"],
  partition: ["parquet", "csv", "jsonl"],
  account: ["abi-json", "mv", "ts"],
  module: ["abi-json", "mv", "ts"],
  u64: ["ts"],
};

/**
 * The options that the format takes. Others are refused where the command line gives them; a settings file gives them to exports in
 * every format, so from there they are left out.
 */
export function takenOptions<Flags extends { readonly format: string }>(command: Command, flags: Flags): Flags {
  const isTaken = (name: string): boolean => takers[name]?.includes(flags.format) ?? true;
  const refused = Object.keys(takers).find((name) => !isTaken(name) && command.getOptionValueSource(name) === "cli");
  if (refused !== undefined) {
    throw new ConfigError(
      `--format ${flags.format} does not take --${refused}; these formats do: ${takers[refused]?.join(", ")}. Leave it out, or choose one of them.`,
    );
  }
  return Object.fromEntries(Object.entries(flags).filter(([name]) => isTaken(name))) as Flags;
}
