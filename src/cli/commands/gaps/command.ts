import { Command } from "commander";
import type { Io } from "../../io.ts";
import { GAP_TRIES, parseVersionCount, wholeNumber } from "../../options/options.ts";
import type { GapsFlags } from "./run.ts";

/** `movedex gaps`: what snapshots have no answer for. */
export function gapsCommand(io: Io): Command {
  return new Command("gaps")
    .summary("accounts that a snapshot has no answer for, and why")
    .description(
      "List the accounts that sealed snapshots have no answer for: the reason, how often each was tried, and whether it will be tried again. Sends no request.",
    )
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--ledger-version <n>", "only the gaps of this snapshot", parseVersionCount)
    .option("--retry-gaps <n>", "the number of tries that `sync --retry-gaps` is given", wholeNumber(0, 1000), GAP_TRIES)
    .option("--limit <n>", "print at most n gaps; all are counted", wholeNumber(0, 1e9), 1000)
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nExample:\n  $ movedex gaps --db night.db")
    .action(async (flags: GapsFlags) => {
      const { runGaps } = await import("./run.ts");
      await runGaps(flags, io);
    });
}
