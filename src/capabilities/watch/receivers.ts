import { Option } from "commander";
import type { DeclaredCommand } from "../../core/cli/options/declared-command.ts";
import { collectWord, parserOf } from "../../core/cli/options/options.ts";
import type { NamedPlace } from "../../core/cli/settings.ts";

/** The mildest change that an alert is sent of; `any` is all that changed. */
export const watchLevels = ["breaking", "dangerous", "behaviour", "any"] as const;
export type WatchLevel = (typeof watchLevels)[number];

/** How a webhook is told: as our own JSON, or as Slack, Mattermost and Discord take it. */
const webhookFormats = ["json", "slack"] as const;
export type WebhookFormat = (typeof webhookFormats)[number];

const NO_BODY = "a relay, or a program that `--exec` runs, can turn the format `json` into it";

/** Formats that went with this version, and what to use. A receiver that has one gets nothing. */
export const retiredFormats = {
  discord: "Discord takes the format `slack` at its webhook's address with `/slack` at the end",
  alertmanager: NO_BODY,
  pagerduty: NO_BODY,
} as const;
type RetiredFormat = keyof typeof retiredFormats;

export function isRetired(format: WebhookFormat | RetiredFormat): format is RetiredFormat {
  return Object.hasOwn(retiredFormats, format);
}

/** How alerts are told: of the command line, or of a place in a settings file. */
export type TellFlags = {
  readonly webhook?: string;
  readonly webhookFormat: WebhookFormat | RetiredFormat;
  readonly exec?: readonly string[];
  readonly alertsFile?: string;
  readonly level: WatchLevel;
  readonly allowHttp?: boolean;
  readonly ca?: string;
  readonly pagesUrl?: string;
};

/** A place of a settings file where alerts are told. */
export type Place = NamedPlace<TellFlags>;

/** Adds the options that name receivers. Where pages are is the same for all. */
export function addReceivers(command: DeclaredCommand): void {
  const before = command.options.length;
  command
    .optionsGroup("Receivers:")
    .option("--webhook <url>", "POST the alerts to this URL, signed with MOVEDEX_WEBHOOK_SECRET if set (or MOVEDEX_WEBHOOK_URL)")
    .addOption(
      new Option("--webhook-format <format>", "the format that the receiver expects")
        .choices(webhookFormats)
        .default("json")
        .argParser(
          parserOf(
            (text) => [...webhookFormats, ...(Object.keys(retiredFormats) as RetiredFormat[])].find((format) => format === text),
            `Allowed choices are ${webhookFormats.join(", ")}.`,
          ),
        ),
    )
    .option("--exec <word>", "run this program with the alerts as JSON on stdin; repeat the option for each argument", collectWord)
    .option("--alerts-file <file>", "append each alert to this file as a line of JSON")
    .choice("--level <level>", "send only alerts of this level or worse", watchLevels, "any")
    .option("--allow-http", "allow a webhook with http:// on another machine")
    .option("--ca <file>", "also trust the certificates in this PEM file");
  command.ofTables = command.options.slice(before);
  command.option("--pages-url <url>", "the address of the pages of `serve`, for links in alerts");
}
