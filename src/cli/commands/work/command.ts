import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addSharingNodeOptions } from "../../options/node-options.ts";
import { parseDurationOption, wholeNumber } from "../../options/options.ts";
import type { WorkFlags } from "./run.ts";

/** `movedex work`: reads along with whoever has begun a snapshot. */
export function workCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("work")
    .summary("read along with the runs of others on a PostgreSQL database, until told to stop")
    .description(
      "Join every snapshot that a `sync` or `backfill` on the same PostgreSQL database has begun, and every `trace`, and wait for more until told to stop. It begins none of its own. Any number may work at once, each with a node and a pace of its own.",
    );
  addSharingNodeOptions(command)
    .option("--page-size <n>", "modules per page (default: the node's page size)", wholeNumber(1, 65_535))
    .option("--max-duration <time>", "stop after 90s, 30m, 6h …", parseDurationOption)
    .optionsGroup("Store and output:")
    .option("--db <url>", "the address of the database (default: DATABASE_URL)")
    .option("--lease <time>", "how long other workers wait for this one when it has died (default: 30s)", parseDurationOption)
    .option("--json", "end with one JSON object on stdout");
  return command
    .addHelpText("after", "\nExample:\n  $ movedex work --network movement-mainnet --db postgres://db.example/archive")
    .action(async (flags: WorkFlags) => {
      const { runWork } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runWork(flags, io)].code;
    });
}
