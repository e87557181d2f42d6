import { Command } from "commander";
import { GAP_TRIES } from "../../../crawl/night/gap-tries.ts";
import type { VersionRequest } from "../../../crawl/night/pin.ts";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addNoticeOptions } from "../../jobs/notices.ts";
import { addNodeOptions } from "../../options/node-options.ts";
import { collectAddress, parseDurationOption, parseVersionCount, parseVersionRequest, wholeNumber } from "../../options/options.ts";
import type { SyncFlags } from "./run.ts";

/** `movedex sync`: the night's job. */
export function syncCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("sync").description(
    "Read every target at one ledger version, store what it holds, and seal the snapshot. Goes on with a snapshot that an earlier run left unfinished.",
  );
  addNodeOptions(command)
    .option("--page-size <n>", "modules asked for per page (default: as many as the node gives)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", "end well after 90s, 30m, 6h …; the next run goes on", parseDurationOption)
    .optionsGroup("What to read:")
    .option("-a, --account <address>", "an account to read instead of the stored targets; may be repeated", collectAddress)
    .option("--targets <file>", "a file of accounts to read instead of the stored targets, one address a line or a CSV's first column")
    .option("--ledger-version <version>", "the version to read: N, latest, or -N for N below the newest", parseVersionRequest, {
      kind: "latest",
    } as VersionRequest)
    .option("--lag <n>", "with latest: stay so many versions below it (default: the network's, else 0)", parseVersionCount)
    .option(
      "--cross-check <n>",
      "ask for so many of its modules as JSON besides, and compare the node's ABIs with the bytes",
      wholeNumber(0, 1e6),
      0,
    )
    .option(
      "--retry-gaps <n>",
      "try the gaps of earlier snapshots again while the node can read them, until each account was tried so often (0: never)",
      wholeNumber(0, 1000),
      GAP_TRIES,
    )
    .optionsGroup("Store and output:")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--dry-run", "say what would be read and what it would cost; write nothing")
    .option("--json", "end with one JSON object on stdout");
  return addNoticeOptions(command)
    .addHelpText("after", "\nExample:\n  $ movedex sync --rpc http://127.0.0.1:8080/v1 --db night.db --account 0x1")
    .action(async (flags: SyncFlags) => {
      const { runSync } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runSync(flags, io)].code;
    });
}
