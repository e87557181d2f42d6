import { Command } from "commander";
import { exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome } from "../../io.ts";
import { addSharingNodeOptions } from "../../options/node-options.ts";
import { parseDurationOption } from "../../options/options.ts";
import type { WorkFlags } from "./run.ts";

export function workCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("work")
    .summary("help other runs on a PostgreSQL database until stopped")
    .description(
      "Help with every `sync`, `backfill` and `trace` on the same PostgreSQL database, and wait for more. A worker starts no snapshot of its own. Run as many as you like, each with its own node and rate.",
    );
  addSharingNodeOptions(command, "stop after this time (90s, 30m, 6h …)")
    .optionsGroup("Store and output:")
    .option("--db <url>", "the address of the database (default: DATABASE_URL)")
    .option("--lease <time>", "how long other workers wait for this one if it dies (default: 30s)", parseDurationOption)
    .option("--json", "print one JSON object at the end");
  return command
    .addHelpText("after", "\nExample:\n  $ movedex work --network movement-mainnet --db postgres://db.example/archive")
    .action(async (flags: WorkFlags) => {
      const { runWork } = await import("./run.ts");
      outcome.exitCode = exitCodes[await runWork(flags, io)].code;
    });
}
