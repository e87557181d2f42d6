import { Command } from "commander";
import type { Io, Outcome } from "../../io.ts";
import { addNodeOptions } from "../../options/node-options.ts";
import { parseVersionCount } from "../../options/options.ts";
import type { DoctorFlags } from "./node.ts";

/** `movedex doctor`: is everything in place for tonight. */
export function doctorCommand(io: Io, outcome: Outcome): Command {
  const command = new Command("doctor")
    .summary("check that the node and the database can be used")
    .description(
      "Check that the node, its limits and the database can be used. Changes nothing (but see --forget-sample); sends the node a handful of requests.",
    );
  return addNodeOptions(command)
    .optionsGroup("Store and output:")
    .option("--db <file>", "the database (default: DATABASE_URL, else movedex.db)")
    .option("--json", "print one JSON object")
    .option(
      "--forget-sample <version>",
      "only strike out what the database remembers of nodes that gave this as their newest version, because that was false",
      parseVersionCount,
    )
    .addHelpText("after", "\nExample:\n  $ movedex doctor --rpc http://127.0.0.1:8080/v1 --db night.db")
    .action(async (flags: DoctorFlags) => {
      const { forgetSample, runDoctor } = await import("./run.ts");
      if (flags.forgetSample === undefined) outcome.exitCode = await runDoctor(flags, io);
      else await forgetSample(flags, flags.forgetSample, io);
    });
}
