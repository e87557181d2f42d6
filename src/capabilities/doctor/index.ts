import type { Command } from "commander";
import type { Capability } from "../../core/cli/capability.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { parseDurationOption, parseVersionCount } from "../../core/cli/options/options.ts";
import type { DoctorFlags } from "./node.ts";

export const doctor: Capability = {
  name: "doctor",
  commands: { "Archive a ledger:": { doctor: async () => doctorCommand } },
};

function doctorCommand(): MovedexCommand {
  return new MovedexCommand("doctor")
    .summary("check node, settings and database")
    .description("Check the node and the database, and print the settings in force. Changes nothing, except with --forget-sample.")
    .node()
    .optionsGroup("Printed with the settings:")
    .option("--max-duration <time>", "how long a night may take", parseDurationOption)
    .ages()
    .records()
    .optionsGroup("Store and output:")
    .database()
    .printsJson(async () => (await import("./run.ts")).doctorResults)
    .option("--forget-sample <version>", "delete stored samples that report this false newest version; check nothing", parseVersionCount)
    .eachSection()
    .examples("doctor --rpc http://127.0.0.1:8080/v1 --db night.db")
    .runs(async (line, flags: DoctorFlags, command: Command) => {
      const { forgetSample, runDoctor } = await import("./run.ts");
      const { io, settings } = line;
      return line.settings.eachSection(line, flags, () =>
        flags.forgetSample === undefined
          ? runDoctor(line, flags, { settings, sourceOf: (key) => command.getOptionValueSource(camelcase(key)) })
          : forgetSample(io, flags, flags.forgetSample),
      );
    });
}

const camelcase = (key: string): string => key.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
