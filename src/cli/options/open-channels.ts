import { proxySettings, webhookSecret, webhookUrl } from "../../config.ts";
import { ConfigError } from "../../errors.ts";
import type { Channel } from "../../questions/tell/channel.ts";
import { linesChannel } from "../../questions/tell/lines.ts";
import { programChannel } from "../../questions/tell/program.ts";
import { webhookChannel } from "../../questions/tell/webhook.ts";
import type { Io } from "../io.ts";
import type { TellFlags } from "./tell-options.ts";

/** The places that were named. @throws ConfigError */
export function openChannels(flags: TellFlags, { env, clock }: Io): Channel[] {
  const url = webhookUrl(flags.webhook, env);
  const [program, ...args] = flags.exec ?? [];
  const options = { format: flags.webhookFormat, secret: webhookSecret(env), proxies: proxySettings(env), now: clock.now };
  return [
    ...(url === undefined ? [] : [webhookChannel(url, options)]),
    ...(program === undefined ? [] : [programChannel([program, ...args], env)]),
    ...(flags.alertsFile === undefined ? [] : [linesChannel(flags.alertsFile)]),
  ];
}

/** The address of the pages; undefined when none was given. @throws ConfigError */
export function pagesAddress({ pagesUrl }: TellFlags): URL | undefined {
  if (pagesUrl === undefined) return undefined;
  const url = URL.canParse(pagesUrl) ? new URL(pagesUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw new ConfigError("wanted the address of the pages as https://host/ in --pages-url; the one that was given is not like that.");
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
