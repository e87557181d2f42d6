import { Command } from "commander";
import { type ExitName, exitCodes } from "../../../exit-codes.ts";
import type { Io, Outcome, RunCommand } from "../../io.ts";
import { withJobLock } from "../../jobs/job-lock.ts";
import { addChoiceOptions } from "../../options/choice-options.ts";
import { addNodeOptions } from "../../options/node-options.ts";
import { dbOption, parseDurationOption, parseVersionCount, recordsOption } from "../../options/options.ts";
import type { Settings } from "../../settings/settings.ts";
import type { DoctorFlags } from "./node.ts";

export function doctorCommand(io: Io, outcome: Outcome, run: RunCommand, settings: Settings): Command {
  const command = new Command("doctor")
    .summary("check node, settings and database")
    .description(
      "Check the node, its limits and the database, and print the settings in force. Sends the node a few requests. Changes nothing, except with --forget-sample.",
    );
  addNodeOptions(command)
    .optionsGroup("The planned night:")
    .option("--max-duration <time>", "how long a night may take (default: 8h)", parseDurationOption);
  return addChoiceOptions(command)
    .addOption(recordsOption())
    .optionsGroup("Store and output:")
    .option(...dbOption)
    .option("--json", "print one JSON object")
    .option("--forget-sample <version>", "delete stored samples that report this false newest version; check nothing", parseVersionCount)
    .addHelpText("after", "\nExample:\n  $ movedex doctor --rpc http://127.0.0.1:8080/v1 --db night.db")
    .action(async (flags: DoctorFlags) => {
      const { forgetSample, runDoctor } = await import("./run.ts");
      const version = flags.forgetSample;
      const once = async (): Promise<ExitName> => {
        if (version === undefined) return await runDoctor(flags, io, { settings, sourceOf: (name) => command.getOptionValueSource(name) });
        await forgetSample(flags, version, io);
        return "done";
      };
      outcome.exitCode = exitCodes[await withJobLock(settings, io, run, flags, once)].code;
    });
}
