import { writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { systemReason } from "../../core/base/files.ts";
import { printable } from "../../core/base/printable.ts";
import type { Io } from "../../core/cli/io.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { parserOf, repeatable } from "../../core/cli/options/options.ts";
import { systemCode } from "../../core/cli/options/text-file.ts";
import { ConfigError } from "../../core/errors.ts";
import { type NetworkName, networks } from "../../core/node/networks.ts";
import type { ScheduleName } from "./run.ts";

type InitFlags = {
  readonly network: readonly NetworkName[];
  readonly for?: readonly ScheduleName[];
};

const programs = ["cron", "systemd", "kubernetes", "monitoring"] as const satisfies readonly ScheduleName[];

/** `movedex init`: a settings file to begin with, made from the options of `night`, or the files of a schedule. */
export function initCommand(): MovedexCommand {
  return new MovedexCommand("init")
    .summary("write a settings file or a schedule")
    .description(
      "Write a commented settings file with the options of a night. `movedex night --config FILE` then runs the nights of its networks, one after the other. With --for, write instead the files for a program that runs or watches the nights.",
    )
    .argument("[file]", "the file to write (default: movedex.toml), with --for the directory (default: .); - is stdout")
    .addOption(
      new Option("--network <name...>", "the networks that get a section")
        .choices(Object.keys(networks))
        .default(["aptos-mainnet"], "aptos-mainnet"),
    )
    .addOption(
      new Option(
        "--for <program>",
        "cron: a crontab; systemd: units and timers; kubernetes: a CronJob and a Job; monitoring: alert rules for Prometheus and a dashboard for Grafana; repeatable",
      )
        .choices(programs)
        .argParser(repeatable(parserOf((name) => programs.find((one) => one === name), `Allowed choices are ${programs.join(", ")}.`))),
    )
    .examples("init --network aptos-mainnet movement-mainnet", "init --for cron --network aptos-mainnet")
    .runs(async ({ io }, file: string | undefined, flags: InitFlags, command: Command) => {
      const networks = [...new Set(flags.network)];
      const schedules = [...new Set(flags.for)];
      if (schedules.length === 0) return await writeSettings(file ?? "movedex.toml", networks, command.parent, io);
      const [network, another] = networks;
      if (network === undefined || another !== undefined)
        throw new ConfigError(
          "a schedule is for one network. Name one with --network, or run several with `movedex night --config FILE`; `movedex init` writes that file.",
        );
      const { writeSchedules } = await import("./run.ts");
      await writeSchedules(io, schedules, file ?? ".", network);
    });
}

/** @throws ConfigError when the file is there already, or cannot be written */
async function writeSettings(file: string, names: readonly NetworkName[], program: Command | null, io: Io): Promise<void> {
  const { settingsTemplate } = await import("./run.ts");
  const night = program?.commands.find((command) => command.name() === "night");
  const text = settingsTemplate(names, night?.options ?? []);
  if (file === "-") return await io.stdout(text);
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    const reason = systemCode(error);
    const message = reason === "EEXIST" ? "it exists, and was left as it is. Name another file, or `-` for stdout" : systemReason(error);
    throw new ConfigError(`could not write the settings file \`${printable(file)}\`: ${message}.`, {
      facts: { file, reason },
      cause: error,
    });
  }
  io.stderr(`movedex: wrote ${printable(file)}; \`movedex doctor --config ${printable(file)}\` prints the settings in force\n`);
}
