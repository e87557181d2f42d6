import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addNoticeOptions } from "../../jobs/notices.ts";
import { addNodeOptions } from "../../options/node-options.ts";
import { parseDurationOption, parseVersionCount, wholeNumber } from "../../options/options.ts";
import { parseStep } from "../../options/points-options.ts";
import type { RunCommand } from "../../run-command.ts";
import type { NightFlags } from "./steps.ts";

/** `movedex night`: everything that a night has to do, in order, for cron and timers. */
export function nightCommand(io: Io, outcome: Outcome, run: RunCommand): Command {
  const command = new Command("night").description(
    "The whole night, one command after the other under one lock: sync, backfill, trace of new changes, gaps, verify of a part, backup, report. " +
      "A step that cannot be done does not keep the others from being done; the exit code is the worst that a person must see.",
  );
  addNodeOptions(command)
    .option("--page-size <n>", "modules asked for per page (default: as many as the node gives)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", "end sync, backfill and trace well after so long each", parseDurationOption)
    .optionsGroup("What to do:")
    .option("--lag <n>", "stay so many versions below the newest (default: the network's, else 0)", parseVersionCount)
    .option("--backfill <step>", "also save older versions, so far apart: 1d, 12h, or N versions (default: none)", parseStep)
    .option("--trace-requests <n>", "requests for exact versions of changes, 0 for no trace", wholeNumber(0, 1e12), 1000)
    .option("--slices <n>", "verify a part a night, everything once in so many nights; 0 for none", wholeNumber(0, 10_000), 7)
    .option("--backup <path>", "make a backup: a file, or a directory for one a day, packed")
    .option("--keep <n>", "with a directory: keep so many backups", wholeNumber(1, 100_000))
    .option("--report <file>", "write what changed to a file, in Markdown")
    .option("--weekly", "instead of the night: verify everything, under a lock of its own")
    .optionsGroup("Store and output:")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--dry-run", "print the commands, run none")
    .option("--json", "end with one JSON object on stdout instead of one line of words");
  return addNoticeOptions(command)
    .addHelpText(
      "after",
      "\nExample:\n  $ movedex night --network aptos-mainnet --db night.db --backup backups/ --keep 14 --report changes.md",
    )
    .action(async (flags: NightFlags) => {
      const { runNight } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runNight(flags, io, run)].code;
    });
}
