import { Command, Option } from "commander";
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
    .action(async (file: string, flags: { readonly network: readonly NetworkName[] }) => {
      const { runInit } = await import("./run.ts");
      await runInit(file, [...new Set(flags.network)], program, io);
    });
}
