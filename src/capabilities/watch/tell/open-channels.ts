import { readFileSync } from "node:fs";
import { printable } from "../../../core/base/printable.ts";
import { proxySettings, readVariable } from "../../../core/cli/config.ts";
import type { Io } from "../../../core/cli/io.ts";
import { NO_MAIL, retiredReceiverKeys } from "../../../core/cli/options/retired.ts";
import { ConfigError } from "../../../core/errors.ts";
import { isRetired, type Place, retiredFormats, type TellFlags } from "../receivers.ts";
import type { Channel } from "./channel.ts";
import { linesChannel } from "./lines.ts";
import { programChannel } from "./program.ts";
import { webhookChannel } from "./webhook.ts";

/** The places that the command line and the settings file name. Those of a kind that went are said and left out. @throws ConfigError */
export function openChannels(flags: TellFlags, places: readonly Place[], io: Io): Channel[] {
  const { env } = io;
  // A settings file may name the variable, too.
  if (env["MOVEDEX_SMTP_URL"]) io.stderr(`movedex: the variable MOVEDEX_SMTP_URL (\`smtp-env\` in a settings file) is gone: ${NO_MAIL}.\n`);
  const webhook = flags.webhook ?? readVariable(env, "MOVEDEX_WEBHOOK_URL");
  const given = { ...flags, ...(webhook !== undefined && { webhook }) };
  return [
    ...channelsOf(leaveOut("the webhook", given, io), readVariable(env, "MOVEDEX_WEBHOOK_SECRET"), io),
    ...places.flatMap((place) => named(place, io)),
  ];
}

function named({ name, flags, webhookSecret, retired }: Place, io: Io): Channel[] {
  const receiver = `the receiver \`${name}\` of the settings file`;
  if (retired.includes("mail-to")) {
    io.stderr(`movedex: ${receiver} gets nothing, since mail is gone: ${NO_MAIL}.\n`);
    return [];
  }
  for (const key of retired) io.stderr(`movedex: the key ${key} of ${receiver} is gone: ${retiredReceiverKeys.get(key)}.\n`);
  const kinds = [flags.webhook, flags.exec, flags.alertsFile].filter((one) => one !== undefined);
  if (kinds.length !== 1)
    throw new ConfigError(`${receiver} has ${kinds.length === 0 ? "none" : "several"} of webhook-env, exec and alerts-file. Give one.`);
  return channelsOf(leaveOut(receiver, flags, io), webhookSecret, io).map((channel) => ({ ...channel, channel: name }));
}

/** Without a webhook whose format went. */
function leaveOut(receiver: string, flags: TellFlags, io: Io): TellFlags {
  const { webhook, ...others } = flags;
  if (webhook === undefined || !isRetired(flags.webhookFormat)) return flags;
  const { webhookFormat: format } = flags;
  io.stderr(`movedex: ${receiver} gets nothing, since the format ${format} is gone: ${retiredFormats[format]}.\n`);
  return others;
}

function channelsOf(flags: TellFlags, secret: string | undefined, { env, clock }: Io): Channel[] {
  const { webhook, webhookFormat: format, allowHttp = false, alertsFile } = flags;
  const [program, ...args] = flags.exec ?? [];
  const ca = flags.ca === undefined ? undefined : readCertificates(flags.ca);
  const channels = [
    webhook !== undefined &&
      !isRetired(format) &&
      webhookChannel(webhook, { format, secret, proxies: proxySettings(env), now: clock.now, ca, allowHttp }),
    program !== undefined && programChannel([program, ...args], env),
    alertsFile !== undefined && linesChannel(alertsFile),
  ];
  return channels.filter((channel) => typeof channel === "object").map((channel) => ({ ...channel, level: flags.level }));
}

function readCertificates(path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  } catch (error) {
    throw new ConfigError(`--ca: \`${printable(path, 500)}\` could not be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  throw new ConfigError(`--ca: wanted certificates as PEM; \`${printable(path, 500)}\` has none.`);
}
