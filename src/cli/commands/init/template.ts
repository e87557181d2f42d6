import type { Option } from "commander";
import { type NetworkName, type NetworkPreset, networks } from "../../../node/networks.ts";

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
export function settingsTemplate(names: readonly NetworkName[], options: readonly Option[]): string {
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
