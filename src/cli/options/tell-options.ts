import { InvalidArgumentError } from "commander";
import { type WatchLevel, watchLevels } from "../../abi/compare/severity.ts";
import { type Digest, digests, type WebhookFormat, webhookFormats } from "../../questions/tell/channel.ts";
import { parseQuietHours, type QuietHours } from "../../questions/tell/quiet-hours.ts";
import type { DeclaredCommand } from "../declared-command.ts";
import { repeatable } from "./options.ts";

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

/** Words, in an option that may be repeated. */
const collectWord = repeatable((text) => text);

export function addTellOptions(command: DeclaredCommand): DeclaredCommand {
  return command
    .optionsGroup("Receivers:")
    .option("--webhook <url>", "POST each alert to this URL, signed with MOVEDEX_WEBHOOK_SECRET if set (or MOVEDEX_WEBHOOK_URL)")
    .choice("--webhook-format <format>", "the format that the receiver expects", webhookFormats, "json")
    .option("--exec <word>", "run this program for each alert, with JSON on stdin; repeat the option for each argument", collectWord)
    .option("--alerts-file <file>", "append each alert to this file as a line of JSON")
    .option("--mail-to <address>", "send mail through the server in MOVEDEX_SMTP_URL; repeatable", collectWord)
    .option("--mail-from <address>", "the sender of mail (default: the first of --mail-to)")
    .choice("--level <level>", "send only alerts of this level or worse", watchLevels, "any")
    .choice("--digest <digest>", "group changes into one message (default: night for chat and mail, else none)", digests)
    .option("--quiet-hours <hours>", "send nothing in these hours: 22:00-07:00 (UTC), or 22:00-07:00 Europe/Berlin", quietHours)
    .option("--allow-http", "allow a webhook with http:// on another machine")
    .option("--ca <file>", "also trust the certificates in this PEM file")
    .option("--pages-url <url>", "the address of the pages of `serve`, for links in alerts");
}

function quietHours(text: string): QuietHours {
  try {
    return parseQuietHours(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as RangeError).message}.`);
  }
}
