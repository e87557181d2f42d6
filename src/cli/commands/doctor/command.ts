import { Command } from "commander";
import type { Io, Outcome } from "../../io.ts";
import { addNodeOptions } from "../../options/node-options.ts";
import type { DoctorFlags } from "./node.ts";

/** `movedex doctor`: is everything in place for tonight. */
export function doctorCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("doctor")
    .summary("check that the node and the database can be used")
    .description("Check that the node, its limits and the database can be used. Changes nothing; sends the node a handful of requests.");
  return addNodeOptions(command)
    .optionsGroup("Store and output:")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nExample:\n  $ movedex doctor --rpc http://127.0.0.1:8080/v1 --db night.db")
    .action(async (flags: DoctorFlags) => {
      const { runDoctor } = await import("./run.ts");
      outcome.exitCode = await runDoctor(flags, io);
    });
}
