import { Command, Option } from "commander";
import type { Step } from "../../../crawl/backfill/backfill-points.ts";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addArchiveOptions } from "../../options/archive-options.ts";
import { addSharingNodeOptions } from "../../options/node-options.ts";
import { collectAddress, dbOption, parseDurationOption, recordsOption, wholeNumber } from "../../options/options.ts";
import { parseEdge, parseStep } from "../../options/points-options.ts";
import type { BackfillFlags } from "./run.ts";

/** `movedex backfill`: older versions, the most endangered first. */
export function backfillCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("backfill")
    .summary("take snapshots at older versions, the most endangered first")
    .description(
      "Take snapshots at older versions that the node still has, beginning with those that it will prune first. Versions that cannot be " +
        "saved are named at once. An account that is the same in the snapshots before and after a version is not read there: its state " +
        "is inferred, and marked so.",
    );
  addSharingNodeOptions(command)
    .option("--page-size <n>", "modules per page (default: the node's page size)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", "stop cleanly after 90s, 30m, 6h …; the next run continues", parseDurationOption)
    .optionsGroup("What to read:")
    .option(
      "--every <step>",
      "distance: 1d, 12h (times in UTC, mapped to versions by the ledger's timestamps), or N versions (default: 1d)",
      parseStep,
    )
    .option(
      "--from <edge>",
      "oldest end: a version, genesis, -N for N below the newest, or a time such as 2026-11-20T04:00 (default: the oldest readable version)",
      parseEdge,
    )
    .option("--to <edge>", "newest end, in the same forms (default: the newest version)", parseEdge)
    .option("--count <n>", "how many: the newest n (with --from: the oldest n); without --every: n spread evenly", wholeNumber(1, 5_000))
    .addOption(
      new Option("--max-inferred <span>", "infer an account only between snapshots at most this far apart: a time, N versions, or any")
        .argParser((text) => (text === "any" ? text : parseStep(text)))
        .default({ ms: 7 * 86_400_000 } satisfies Step, "7d"),
    )
    .addOption(recordsOption())
    .option("-a, --account <address>", "read this account instead of the stored targets; may be repeated", collectAddress)
    .option(
      "--targets <file>",
      "read the accounts of a file instead of the stored targets, in this run only (`targets import` stores them): one address a line, or the first column of a CSV file",
    );
  return addArchiveOptions(command, "what the node has pruned, from --from on")
    .optionsGroup("Store and output:")
    .option(...dbOption)
    .option(
      "--lease <time>",
      "with PostgreSQL: how long other workers wait for this one when it has died (default: 30s)",
      parseDurationOption,
    )
    .option("--dry-run", "print what can be saved, what cannot, and what it would cost; write nothing")
    .option("--json", "end with one JSON object on stdout")
    .addHelpText("after", "\nExample:\n  $ movedex backfill --every 12h --rpc http://127.0.0.1:8080/v1 --db night.db")
    .action(async (flags: BackfillFlags) => {
      const { runBackfill } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runBackfill(flags, io)].code;
    });
}
