import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome, RunCommand } from "../../io.ts";
import { withJobLock } from "../../jobs/job-lock.ts";
import { addNotifyOptions } from "../../jobs/notify-options.ts";
import { addChoiceOptions } from "../../options/choice-options.ts";
import { addSharingNodeOptions } from "../../options/node-options.ts";
import { dbOption, parseDurationOption, parseVersionCount, recordsOption, wholeNumber } from "../../options/options.ts";
import { parseStep } from "../../options/points-options.ts";
import type { Settings } from "../../settings/settings.ts";
import type { NightFlags } from "./steps.ts";

/** `movedex night`: everything that a night has to do, in order, for cron and timers. */
export function nightCommand(io: Io, outcome: Outcome, run: RunCommand, settings: Settings): Command {
  const command = new Command("night")
    .summary("the whole nightly job in order: sync, trace, verify, backup …")
    .description(
      "The whole nightly job, one command after another under one lock: sync, backfill, trace, gaps, verify of one part, backup, report. " +
        "A step that fails does not stop the steps that do not depend on it; the exit code is that of the gravest failure. " +
        "With a settings file that has several sections, their nights run one after the other.",
    );
  addSharingNodeOptions(command)
    .option("--page-size <n>", "modules per page (default: the node's page size)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", "stop sync, backfill and trace cleanly after 90s, 30m, 6h … each", parseDurationOption);
  addChoiceOptions(command)
    .addOption(recordsOption())
    .optionsGroup("Steps:")
    .option("--lag <n>", "read n versions below the newest (default: the network's, else 0)", parseVersionCount)
    .option("--backfill <step>", "also save older versions, one every 1d, 12h, or N versions (default: none)", parseStep)
    .option("--trace-requests <n>", "requests that trace may use, 0 for no trace", wholeNumber(0, 1e12), 1000)
    .option("--slices <n>", "verify 1/n of the database each night; 0 for no verification", wholeNumber(0, 10_000), 7)
    .option("--backup <path>", "make a compressed backup: a file, or a directory for one file a day")
    .option("--keep <n>", "with a directory: keep the newest n backups", wholeNumber(1, 100_000))
    .option("--report <file>", "write what changed to this file, as Markdown")
    .option("--weekly", "verify everything instead, under a lock of its own")
    .optionsGroup("Store and output:")
    .option(...dbOption)
    .option("--dry-run", "print the commands, run none")
    .option("--json", "end with one JSON object on stdout instead of one line of words");
  return addNotifyOptions(command)
    .addHelpText("after", "\nExample:\n  $ movedex night --network aptos-mainnet --backup backups/ --report changes.md")
    .action(async (flags: NightFlags) => {
      const { runNight } = await import("./run.ts");
      outcome.exitCode = exitCodes[await withJobLock(settings, io, run, flags, () => runNight(flags, io, run, settings))].code;
    });
}
