import { Command, Option } from "commander";
import type { VersionRequest } from "../../../crawl/night/pin.ts";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addNotifyOptions } from "../../jobs/notify-options.ts";
import { addChoiceOptions } from "../../options/choice-options.ts";
import { addSharingNodeOptions } from "../../options/node-options.ts";
import {
  collectAddress,
  dbOption,
  GAP_TRIES,
  parseDurationOption,
  parseVersionCount,
  parseVersionRequest,
  recordsOption,
  wholeNumber,
} from "../../options/options.ts";
import type { SyncFlags } from "./run.ts";

/** `movedex sync`: the night's job. */
export function syncCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("sync")
    .summary("read every target at one ledger version and seal the snapshot")
    .description(
      "Read every target account at one ledger version, store its record and modules, and seal the snapshot. A snapshot that an earlier run left unfinished is continued.",
    );
  addSharingNodeOptions(command)
    .option("--page-size <n>", "modules per page (default: the node's page size)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", "stop cleanly after 90s, 30m, 6h …; the next run continues", parseDurationOption);
  addChoiceOptions(command)
    .optionsGroup("What to read:")
    .option("-a, --account <address>", "read this account instead of the stored targets; may be repeated", collectAddress)
    .option(
      "--targets <file>",
      "read the accounts of a file instead of the stored targets, in this run only (`targets import` stores them): one address a line, or the first column of a CSV file; - is stdin",
    )
    .addOption(
      new Option("--ledger-version <version>", "the version to read: N, latest, or -N for N below the newest")
        .argParser(parseVersionRequest)
        .default({ kind: "latest" } satisfies VersionRequest, "latest"),
    )
    .addOption(recordsOption())
    .option("--lag <n>", "with latest: stay n versions below it (default: the network's, else 0)", parseVersionCount)
    .option("--cross-check <n>", "also read n modules as JSON, and compare the node's ABIs with the bytecode", wholeNumber(0, 1e6), 0)
    .option(
      "--retry-gaps <n>",
      "retry the gaps of earlier snapshots that the node can still read, n tries for each account at most; 0 for no retry",
      wholeNumber(0, 1000),
      GAP_TRIES,
    )
    .optionsGroup("Store and output:")
    .option(...dbOption)
    .option(
      "--unless-within <time>",
      "take no new snapshot when the newest was begun within this time: for workers of one night that start one after the other",
      parseDurationOption,
    )
    .option(
      "--lease <time>",
      "with PostgreSQL: how long other workers wait for this one when it has died (default: 30s)",
      parseDurationOption,
    )
    .option("--dry-run", "print what would be read and what it would cost; write nothing")
    .option("--json", "end with one JSON object on stdout");
  return addNotifyOptions(command)
    .addHelpText("after", "\nExample:\n  $ movedex sync --rpc http://127.0.0.1:8080/v1 --db night.db --account 0x1")
    .action(async (flags: SyncFlags) => {
      const { runSync } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runSync(flags, io)].code;
    });
}
