import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory, packageFile, systemReason } from "../../../base/files.ts";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import type { NetworkName } from "../../../node/networks.ts";
import type { Io } from "../../io.ts";

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
    next: "check the path of movedex in ExecStart against `command -v movedex`, and copy the files to /etc/systemd/system",
  },
  kubernetes: { files: ["cronjob.yaml", "workers.yaml"], next: "name your image in the files, then `kubectl apply -f cronjob.yaml`" },
  monitoring: {
    files: ["prometheus-rules.yaml", "grafana-dashboard.json"],
    next: "name the rules in `rule_files` of prometheus.yml, and import the dashboard in Grafana",
  },
} as const;

export type ScheduleName = keyof typeof schedules;

/** The network that the files of the package name. */
const EXAMPLE: NetworkName = "aptos-mainnet";

/**
 * Writes the files of schedules into a directory, for a network; `-` prints them.
 * @throws ConfigError when one of the files is there already or cannot be written; then none is
 */
export async function writeSchedules(io: Io, names: readonly ScheduleName[], directory: string, network: NetworkName): Promise<void> {
  const files = names.flatMap((name) => schedules[name].files.map((file) => ({ file, text: exampleText(file, network) })));
  if (directory === "-") return await io.stdout(files.map(({ text }) => text).join("\n"));
  const present = files.find(({ file }) => existsSync(join(directory, file)));
  if (present !== undefined) throw notWritten(join(directory, present.file), "it exists. Name another directory, or `-` for stdout");
  for (const { file, text } of files) {
    const path = join(directory, file);
    try {
      makeDirectory(directory);
      writeFileSync(path, text, { flag: "wx" });
    } catch (error) {
      throw notWritten(path, `${systemReason(error)}. Name another directory, or check its permissions`, error);
    }
    await io.stdout(`wrote ${printable(path)}\n`);
  }
  for (const name of names) io.stderr(`movedex: next, ${schedules[name].next}.\n`);
}

function exampleText(file: string, network: NetworkName): string {
  return readFileSync(packageFile(join("jobs", "examples", file)), "utf8").replaceAll(EXAMPLE, network);
}

function notWritten(file: string, reason: string, cause?: unknown): ConfigError {
  return new ConfigError(`could not write \`${printable(file)}\`: ${reason}.`, { facts: { file }, cause });
}
