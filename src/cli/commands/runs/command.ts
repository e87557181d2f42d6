import { Command } from "commander";
import { databasePath } from "../../../config.ts";
import type { Io } from "../../io.ts";
import { wholeNumber } from "../../options/options.ts";
import type { RunsFlags } from "./run.ts";

/** `movedex runs`: what the crawler did. */
export function runsCommand(io: Io): Command {
  return new Command("runs")
    .summary("the runs of the crawler, and what they cost")
    .description("List the runs of sync, backfill and trace, newest first: when, how each ended, and what it cost. Sends no request.")
    .option("--limit <n>", "print at most n runs", wholeNumber(1, 1_000_000), 20)
    .option("--json", "print one JSON object a line")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .addHelpText("after", "\nExample:\n  $ movedex runs --db night.db")
    .action(async (flags: RunsFlags & { readonly db?: string }) => {
      const { runRuns } = await import("./run.ts");
      await runRuns(io, databasePath(flags.db, io.env), flags);
    });
}
