import { type Command, InvalidArgumentError, Option } from "commander";
import { type WatchLevel, watchLevels } from "../../abi/compare/severity.ts";
import { type Digest, digests } from "../../questions/tell/channel.ts";
import { type WebhookFormat, webhookFormats } from "../../questions/tell/formats.ts";
import { parseQuietHours, type QuietHours } from "../../questions/tell/quiet-hours.ts";

/** The options by which alerts are told: of the command line, or of a place in a settings file. */
export type TellFlags = {
  readonly webhook?: string;
  readonly webhookFormat: WebhookFormat;
  readonly exec?: readonly string[];
  readonly alertsFile?: string;
  readonly mailTo?: readonly string[];
  readonly mailFrom?: string;
  readonly level: WatchLevel;
  readonly digest?: Digest;
  readonly quietHours?: QuietHours;
  readonly allowHttp?: boolean;
  readonly ca?: string;
  readonly pagesUrl?: string;
};

/** A place of a settings file where alerts are told: its own options of `tell`, and the secrets that it names. */
export type NamedPlace = {
  readonly name: string;
  readonly flags: TellFlags;
  readonly webhookSecret: string | undefined;
  readonly smtp: string | undefined;
};

/** Adds the options of `TellFlags` to a command. */
export function addTellOptions(command: Command): Command {
  return command
    .optionsGroup("Telling:")
    .option("--webhook <url>", "POST each alert to this address, signed when MOVEDEX_WEBHOOK_SECRET is set (or MOVEDEX_WEBHOOK_URL)")
    .addOption(new Option("--webhook-format <format>", "what the webhook's receiver expects").choices([...webhookFormats]).default("json"))
    .option("--exec <word>", "run this program for each alert, with JSON on its input; repeat for its arguments", collectWord)
    .option("--alerts-file <file>", "add each alert to this file as a line of JSON")
    .option("--mail-to <address>", "send mail through the server in MOVEDEX_SMTP_URL; repeat for more", collectWord)
    .option("--mail-from <address>", "the sender of mail (default: the first of --mail-to)")
    .addOption(new Option("--level <level>", "tell of alerts that are this bad or worse").choices([...watchLevels]).default("any"))
    .addOption(
      new Option("--digest <digest>", "put changes together (default: night for chat and mail, none for others)").choices([...digests]),
    )
    .option("--quiet-hours <hours>", "leave alerts to a later run: 22:00-07:00, in UTC or as 22:00-07:00 Europe/Berlin", quietHours)
    .option("--allow-http", "let the webhook be http:// on another machine")
    .option("--ca <file>", "trust the certificates of this PEM file, too")
    .option("--pages-url <url>", "where the pages of `serve` are, for a link in each alert");
}

function collectWord(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), text];
}

function quietHours(text: string): QuietHours {
  try {
    return parseQuietHours(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as RangeError).message}.`);
  }
}
