import { Command, Option } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { addChoiceOptions } from "../../options/choice-options.ts";
import { dbOption, parseVersionCount, wholeNumber } from "../../options/options.ts";
import type { ReportFlags } from "./run.ts";

/** `movedex report`: what changed. */
export function reportCommand(io: Io): Command {
  const command = new Command("report")
    .summary("what the newest snapshot changed")
    .description(
      "Print what changed since the last finished report of a night (without one: with the newest snapshot): new accounts; modules added, changed (in their ABI, or in their bytecode only) and removed; rotated keys.",
    )
    .addOption(new Option("--last", "the newest snapshot against that of the run before it").conflicts("since"))
    .option("--since <version>", "all snapshots above this ledger version", parseVersionCount)
    .option("--limit <n>", "at most n rows of each list; the rest is counted", wholeNumber(0, 1_000_000), 1000)
    .option("--out <file>", "write to this file, as a whole or not at all, instead of stdout")
    .option("--json", "print one JSON object instead of Markdown")
    .option(...dbOption);
  return addChoiceOptions(command)
    .addHelpText("after", "\nExample:\n  $ movedex report --last --db night.db")
    .action(async (flags: ReportFlags) => {
      const { runReport } = await import("./run.ts");
      await runReport(io, databasePath(flags.db, io.env), flags);
    });
}
