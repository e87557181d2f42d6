import { Command, Option } from "commander";
import { databasePath } from "../../../config.ts";
import { graphFormats } from "../../../questions/uses/graph-files.ts";
import type { Io } from "../../io.ts";
import { dbOption, wholeNumber } from "../../options/options.ts";
import type { UsesFlags } from "./run.ts";

export function usesCommand(io: Io): Command {
  return new Command("uses")
    .summary("list who calls a function or uses a struct")
    .description(
      "List the functions that call a function, directly or through others, with the distance in calls. For a module, list the callers of all its functions. For a struct, list the functions that pack, read or write it, and the modules that name it. " +
        "A function that makes a function value of it is marked. Calls through function values are not visible.",
    )
    .argument(
      "<subject>",
      "0x1::coin::withdraw, coin::withdraw, 0x1::coin::Coin, 0x1::coin or coin, optionally with @VERSION (default: the newest snapshot)",
    )
    .option("--at <version>", "the same as @VERSION: a ledger version, latest, previous or oldest")
    .option("--depth <n>", "how far to follow callers of callers", wholeNumber(1, 1_000_000), 1_000_000)
    .option("--limit <n>", "list at most n functions", wholeNumber(1, 1_000_000), 10_000)
    .addOption(new Option("-f, --format <format>", "output format").choices(["text", "json", ...graphFormats]).default("text"))
    .option("--json", "the same as --format json")
    .option(...dbOption)
    .addHelpText(
      "after",
      "\nExamples:\n  $ movedex uses 0x1::coin::transfer --db night.db\n  $ movedex uses 0x1::coin --format dot --db night.db | dot -Tsvg > coin.svg",
    )
    .action(async (subject: string, flags: UsesFlags) => {
      const { runUses } = await import("./run.ts");
      await runUses(io, databasePath(flags.db, io.env), subject, flags.json === true ? { ...flags, format: "json" } : flags);
    });
}
