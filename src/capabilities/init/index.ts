import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Command, Option } from "commander";
import { makeDirectory, packageFile, systemReason } from "../../core/base/files.ts";
import { printable } from "../../core/base/printable.ts";
import type { Capability } from "../../core/cli/capability.ts";
import type { Io } from "../../core/cli/io.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import { systemCode } from "../../core/cli/options/text-file.ts";
import { ConfigError } from "../../core/errors.ts";
import { type NetworkName, type NetworkPreset, networks } from "../../core/node/networks.ts";

export const init: Capability = {
  name: "init",
  commands: { "Archive a ledger:": { init: async () => initCommand } },
  readsOthers: ["init"],
};

type InitFlags = {
  readonly network: readonly NetworkName[];
  readonly for?: ScheduleName;
};

/** `movedex init`: a settings file to begin with, made from the options of `night`, or the files of a schedule. */
function initCommand(): MovedexCommand {
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
        "cron: a crontab; systemd: units and timers; kubernetes: a CronJob and a Job; monitoring: alert rules for Prometheus and a dashboard for Grafana",
      ).choices(Object.keys(schedules)),
    )
    .examples("init --network aptos-mainnet movement-mainnet", "init --for cron --network aptos-mainnet")
    .runs(async ({ io }, file: string | undefined, flags: InitFlags, command: Command) => {
      const names = [...new Set(flags.network)];
      if (flags.for === undefined) return await writeSettings(file ?? "movedex.toml", names, command.parent, io);
      const [network, another] = names;
      if (network === undefined || another !== undefined)
        throw new ConfigError(
          "a schedule is for one network. Name one with --network, or run several with `movedex night --config FILE`; `movedex init` writes that file.",
        );
      await writeSchedule(io, flags.for, file ?? ".", network);
    });
}

async function writeSettings(file: string, names: readonly NetworkName[], program: Command | null, io: Io): Promise<void> {
  const night = program?.commands.find((command) => command.name() === "night");
  const text = settingsTemplate(names, night?.options ?? []);
  if (file === "-") return await io.stdout(text);
  writeNew(file, text);
  io.stderr(`movedex: wrote ${printable(file)}; \`movedex doctor --config ${printable(file)}\` prints the settings in force\n`);
}

/** What is written behind a key that is left as a comment; the section's name and its preset are at hand. */
type Example = (name: string, preset: NetworkPreset) => string;

/** Options of a night that are worth a line, by the help's headings, each with an example. */
const examples: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  Pace: {
    rate: (_, { rate }) => `${rate}`,
    concurrency: (_, { concurrency }) => `${concurrency}`,
    "max-requests": () => "20000",
    "max-duration": () => '"6h"',
  },
  "Steps of a night": {
    lag: (_, { lag }) => `${lag}`,
    backfill: () => '"1d"',
    "trace-requests": () => "1000",
    slices: () => "7",
    backup: (name) => `"backups/${name}/"`,
    keep: () => "14",
    report: (name) => `"${name}-changes.md"`,
  },
  Monitoring: { "metrics-file": (name) => `"${name}.prom"`, "summary-file": (name) => `"${name}-runs.jsonl"` },
};

const HEAD = `# Settings of movedex, for --config. A key is a long option without its dashes: \`movedex night --help\` explains each.
# What stands here, before the first [section], holds for every network; a section stands over it, an option on the
# command line over both. [section.sync] or [sync] holds keys for one command alone. Paths count from this file's folder.
# [section.tell.team] is a receiver of alerts: \`movedex tell --help\` has its keys.
# \`movedex doctor --config FILE\` prints what is in force and where it comes from.

# Whom the node's operator can write to; sent in the User-Agent.
# contact = "you@example.org"
`;

const SECRETS = (name: string): string => `# Secrets stay in the environment: these name the variables that hold them.
# api-key-env = "${name.toUpperCase().replaceAll("-", "_")}_API_KEY"
# ping-url-env = "${name.toUpperCase().replaceAll("-", "_")}_PING_URL"
# webhook-env = "${name.toUpperCase().replaceAll("-", "_")}_WEBHOOK_URL"
# webhook-secret-env = "${name.toUpperCase().replaceAll("-", "_")}_WEBHOOK_SECRET"
`;

/** A settings file with a section for each network, in which everything but the database's name is a comment. */
function settingsTemplate(names: readonly NetworkName[], options: readonly Option[]): string {
  return [HEAD, ...names.map((name) => section(name, networks[name], options))].join("\n");
}

function section(name: NetworkName, preset: NetworkPreset, options: readonly Option[]): string {
  const parts = Object.entries(examples).map(([heading, keys]) => {
    const lines = Object.entries(keys).map(([key, example]) => {
      const option = options.find(({ long }) => long === `--${key}`);
      return `# ${option?.description ?? ""}\n# ${key} = ${example(name, preset)}\n`;
    });
    return `# --- ${heading}\n${lines.join("")}`;
  });
  return `[${name}]\n# The node: ${preset.url}. For another one of this chain: rpc = "https://host/v1"\ndb = "${name}.db"\n${SECRETS(name)}\n${parts.join("\n")}`;
}

/** The files that run a night without a person, by who runs them, and what to do with them. */
const schedules = {
  cron: {
    files: ["crontab", "logrotate"],
    next: "edit `crontab`, then add its lines with `crontab -e`; copy `logrotate` to /etc/logrotate.d/movedex",
  },
  systemd: {
    files: [
      "movedex.service",
      "movedex.timer",
      "movedex-weekly.service",
      "movedex-weekly.timer",
      "movedex-failed@.service",
      "movedex-serve.service",
    ],
    next: "check the path of movedex in ExecStart against `command -v movedex`, make its user with `useradd --system movedex`, and copy the files to /etc/systemd/system",
  },
  kubernetes: { files: ["cronjob.yaml", "workers.yaml"], next: "name your image in the files, then `kubectl apply -f cronjob.yaml`" },
  monitoring: {
    files: ["prometheus-rules.yaml", "grafana-dashboard.json"],
    next: "name the rules in `rule_files` of prometheus.yml, and import the dashboard in Grafana",
  },
} as const;

type ScheduleName = keyof typeof schedules;

/** The network that the files of the package name. */
const EXAMPLE: NetworkName = "aptos-mainnet";

/**
 * Writes the files of a schedule into a directory, for a network; `-` prints them. @throws ConfigError when one is there already; then none
 * is written
 */
async function writeSchedule(io: Io, name: ScheduleName, directory: string, network: NetworkName): Promise<void> {
  const { files: names, next } = schedules[name];
  const textOf = (file: string) => readFileSync(packageFile(join("jobs", "examples", file)), "utf8").replaceAll(EXAMPLE, network);
  const files = names.map((file) => ({ path: join(directory, file), text: textOf(file) }));
  if (directory === "-") return await io.stdout(files.map(({ text }) => text).join("\n"));
  const present = files.find(({ path }) => existsSync(path));
  if (present !== undefined) throw notWritten(present.path, EXISTS);
  for (const { path, text } of files) {
    writeNew(path, text);
    await io.stdout(`wrote ${printable(path)}\n`);
  }
  io.stderr(`movedex: next, ${next}.\n`);
}

const EXISTS = "it exists, and was left as it is. Name another place";

/** @throws ConfigError when the file is there already, which is left as it is, or cannot be written */
function writeNew(file: string, text: string): void {
  try {
    makeDirectory(dirname(file));
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    throw notWritten(file, systemCode(error) === "EEXIST" ? EXISTS : systemReason(error), error);
  }
}

function notWritten(file: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`could not write \`${printable(file)}\`: ${reason}.`, { facts: { file, reason }, cause });
}
