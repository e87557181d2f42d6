import { readFileSync } from "node:fs";
import { printable } from "../../base/printable.ts";
import { proxySettings, readVariable } from "../../config.ts";
import { ConfigError } from "../../errors.ts";
import { alertMail } from "../../pages/mail/alert-mail.ts";
import type { Channel } from "../../questions/tell/channel.ts";
import { linesChannel } from "../../questions/tell/lines.ts";
import { mailChannel } from "../../questions/tell/mail.ts";
import { programChannel } from "../../questions/tell/program.ts";
import { quietUntil } from "../../questions/tell/quiet-hours.ts";
import { webhookChannel } from "../../questions/tell/webhook.ts";
import type { Io } from "../io.ts";
import type { NamedPlace, TellFlags } from "./shared-flags.ts";

/** The places that the command line and the settings file name. @throws ConfigError */
export function openChannels(flags: TellFlags, places: readonly NamedPlace[], io: Io): Channel[] {
  const { env } = io;
  const webhook = flags.webhook ?? readVariable(env, "MOVEDEX_WEBHOOK_URL");
  const secrets = { secret: readVariable(env, "MOVEDEX_WEBHOOK_SECRET"), smtp: readVariable(env, "MOVEDEX_SMTP_URL") };
  const unnamed = channelsOf({ ...flags, ...(webhook !== undefined && { webhook }) }, secrets, io);
  return [...unnamed, ...places.map((place) => named(place, io))];
}

function named({ name, flags, webhookSecret: secret, smtp }: NamedPlace, io: Io): Channel {
  const [channel, ...more] = channelsOf(flags, { secret, smtp }, io);
  if (channel === undefined || more.length > 0)
    throw new ConfigError(
      `the receiver \`${name}\` of the settings file has ${more.length === 0 ? "none" : "several"} of webhook-env, exec, alerts-file and mail-to (with smtp-env). Give one.`,
    );
  return { ...channel, channel: name };
}

type Secrets = { readonly secret: string | undefined; readonly smtp: string | undefined };

function channelsOf(flags: TellFlags, { secret, smtp }: Secrets, { env, clock }: Io): Channel[] {
  const { webhook, webhookFormat: format, allowHttp = false, mailTo, mailFrom: from, alertsFile, quietHours } = flags;
  const [program, ...args] = flags.exec ?? [];
  const ca = flags.ca === undefined ? undefined : readCertificates(flags.ca);
  if (mailTo !== undefined && smtp === undefined)
    throw new ConfigError("--mail-to needs a mail server. Set MOVEDEX_SMTP_URL, or smtp-env in a settings file.");
  const channels = [
    webhook !== undefined && webhookChannel(webhook, { format, secret, proxies: proxySettings(env), now: clock.now, ca, allowHttp }),
    program !== undefined && programChannel([program, ...args], env),
    alertsFile !== undefined && linesChannel(alertsFile),
    mailTo !== undefined &&
      smtp !== undefined &&
      mailChannel({ server: smtp, to: mailTo, from, ca, allowPlain: allowHttp, render: alertMail }),
  ];
  return channels
    .filter((channel) => typeof channel === "object")
    .map((channel) => ({
      ...channel,
      level: flags.level,
      digest: channel.most === 1 ? "none" : (flags.digest ?? channel.digest),
      quietUntil: (now) => (quietHours === undefined ? undefined : quietUntil(quietHours, now)),
    }));
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
