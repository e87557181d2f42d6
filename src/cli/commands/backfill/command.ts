import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addNodeOptions } from "../../options/node-options.ts";
import { collectAddress, parseDurationOption, wholeNumber } from "../../options/options.ts";
import { parseEdge, parseStep } from "../../options/points-options.ts";
import type { BackfillFlags } from "./run.ts";

/** `movedex backfill`: older versions, the most endangered first. */
export function backfillCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("backfill").description(
    "Take snapshots at older versions that the node still has, those that it will prune first, first. Says at once what cannot be saved. " +
      "Accounts that are the same on both sides of a version are inferred there, not read, and marked as such.",
  );
  return addNodeOptions(command)
    .option("--page-size <n>", "modules asked for per page (default: as many as the node gives)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", "end well after 90s, 30m, 6h …; the next run goes on", parseDurationOption)
    .optionsGroup("What to read:")
    .option(
      "--every <step>",
      "how far apart: 1d, 12h (moments in UTC, mapped by the node's own timestamps), or N versions (default: 1d)",
      parseStep,
    )
    .option("--from <edge>", "where to begin: a version, -N below the newest, or a moment (default: the oldest readable)", parseEdge)
    .option("--to <edge>", "where to end (default: the newest)", parseEdge)
    .option("--count <n>", "so many, the newest (with --from: the first); alone: spread evenly", wholeNumber(1, 5_000))
    .option("-a, --account <address>", "an account to read instead of the stored targets; may be repeated", collectAddress)
    .option("--targets <file>", "a file of accounts to read instead of the stored targets, one address a line or a CSV's first column")
    .optionsGroup("Store and output:")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--dry-run", "say what can be saved and what not, and what it would cost; write nothing")
    .option("--json", "end with one JSON object on stdout")
    .addHelpText("after", "\nExample:\n  $ movedex backfill --every 12h --rpc http://127.0.0.1:8080/v1 --db night.db")
    .action(async (flags: BackfillFlags) => {
      const { runBackfill } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runBackfill(flags, io)].code;
    });
}
