import { type Command, Option } from "commander";
import { type WebhookFormat, webhookFormats } from "../../questions/tell/formats.ts";

/** The options by which alerts are told. */
export type TellFlags = {
  readonly webhook?: string;
  readonly webhookFormat: WebhookFormat;
  readonly exec?: readonly string[];
  readonly alertsFile?: string;
  readonly pagesUrl?: string;
};

/** Adds the options of `TellFlags` to a command. */
export function addTellOptions(command: Command): Command {
  return command
    .optionsGroup("Telling:")
    .option("--webhook <url>", "POST each alert to this address, signed when MOVEDEX_WEBHOOK_SECRET is set (or MOVEDEX_WEBHOOK_URL)")
    .addOption(new Option("--webhook-format <format>", "what the webhook's receiver expects").choices([...webhookFormats]).default("json"))
    .option("--exec <word>", "run this program for each alert, with JSON on its input; repeat for its arguments", collectWord)
    .option("--alerts-file <file>", "add each alert to this file as a line of JSON")
    .option("--pages-url <url>", "where the pages of `serve` are, for a link in each alert");
}

function collectWord(text: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), text];
}
