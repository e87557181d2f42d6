import { type WebhookFormat, webhookFormats } from "../../questions/tell/channel.ts";
import type { Io } from "../io.ts";
import { parserOf } from "./options.ts";

// What receivers of alerts had until this version. It is named on stderr; a receiver that needs it gets nothing, and the others are told.

const NO_MAIL = "a program that `--exec` runs can send mail";
const NO_BODY = "a relay, or a program that `--exec` runs, can turn the format `json` into it";

/** Options as they were declared, and what happens without them or what to use. */
export const retiredReceiverOptions: readonly (readonly [flags: string, instead: string])[] = [
  ["--mail-to <address>", NO_MAIL],
  ["--mail-from <address>", NO_MAIL],
  ["--digest <digest>", "each receiver gets one message a run"],
  ["--quiet-hours <hours>", "alerts are sent when `tell` runs, by `night` or by itself"],
];

/** The keys that the table of a receiver in a settings file may still have. */
export const retiredReceiverKeys: ReadonlyMap<string, string> = new Map([
  ...retiredReceiverOptions.map(([flags, instead]) => [flags.replace(/^--(\S+) .*$/, "$1"), instead] as const),
  ["smtp-env", NO_MAIL],
]);

const retiredFormats = {
  discord: "Discord takes the format `slack` at its webhook's address with `/slack` at the end",
  alertmanager: NO_BODY,
  pagerduty: NO_BODY,
} as const;
export type RetiredFormat = keyof typeof retiredFormats;

/** A format, or one that went: `isTold` names that. */
export const parseWebhookFormat = parserOf(
  (text) => [...webhookFormats, ...(Object.keys(retiredFormats) as RetiredFormat[])].find((format) => format === text),
  `Allowed choices are ${webhookFormats.join(", ")}.`,
);

export function isRetired(format: WebhookFormat | RetiredFormat): format is RetiredFormat {
  return Object.hasOwn(retiredFormats, format);
}

/** Says that a receiver gets nothing for its format. */
export function nameRetiredFormat(receiver: string, format: RetiredFormat, { stderr }: Io): void {
  stderr(`movedex: ${receiver} gets nothing, since the format ${format} is gone: ${retiredFormats[format]}.\n`);
}

/** Names what a receiver's table has and nobody obeys. @returns whether the receiver went with it */
export function nameRetiredKeys(receiver: string, keys: readonly string[], { stderr }: Io): boolean {
  const isMail = keys.includes("mail-to");
  if (isMail) stderr(`movedex: ${receiver} gets nothing, since mail is gone: ${NO_MAIL}.\n`);
  else for (const key of keys) stderr(`movedex: the key ${key} of ${receiver} is gone: ${retiredReceiverKeys.get(key)}.\n`);
  return isMail;
}

/** Names the variable of the mail server, which a settings file may name, too. */
export function nameRetiredVariable({ env, stderr }: Io): void {
  if (env["MOVEDEX_SMTP_URL"]) stderr(`movedex: the variable MOVEDEX_SMTP_URL (\`smtp-env\` in a settings file) is gone: ${NO_MAIL}.\n`);
}
