import { sha256Hex } from "../../base/sha256.ts";
import { ConfigError } from "../../errors.ts";
import type { ProxySettings } from "../../node/http/connections.ts";
import { sendOnce } from "../../node/http/one-request.ts";
import { webhookBody } from "./bodies.ts";
import { type Channel, TOLD } from "./channel.ts";
import type { WebhookFormat } from "./formats.ts";
import { signedHeaders } from "./signature.ts";

/** How a webhook is called. */
export type WebhookOptions = {
  readonly format: WebhookFormat;
  /** The key of signatures; without it messages are not signed. */
  readonly secret: string | undefined;
  readonly proxies: ProxySettings | undefined;
  readonly now: () => number;
  /** How long one try may take; ten seconds. */
  readonly limitMs?: number;
};

const LIMIT_MS = 10_000;
/** Statuses that say nothing of the message: the same request may be taken later. */
const NOT_OF_MESSAGE = new Set([401, 403, 404, 408, 410, 425, 429]);
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A webhook: each alert is one POST. Redirects are not followed. @throws ConfigError for an address that is none or would send openly */
export function webhookChannel(text: string, { format, secret, proxies, now, limitMs = LIMIT_MS }: WebhookOptions): Channel {
  const url = parseWebhook(text);
  // The path is often all the secret there is; a few digits of a hash tell two of them apart.
  const name = `webhook ${url.origin} (${sha256Hex(url.href).slice(0, 8)})`;
  return {
    name,
    tell: async ({ id, message }) => {
      const body = webhookBody(format, message);
      const headers = { "content-type": "application/json; charset=utf-8", ...signedHeaders(secret, id, body, now()) };
      const answer = await sendOnce({ url, method: "POST", headers, body, limitMs, proxies });
      if ("fault" in answer) return { isTold: false, fault: answer.fault, isOfPlace: true };
      const { status, ...asked } = answer;
      if (status >= 200 && status < 300) return TOLD;
      const isOfPlace = status < 400 || status >= 500 || NOT_OF_MESSAGE.has(status);
      return { isTold: false, fault: `it answered with HTTP status ${status}`, isOfPlace, ...asked };
    },
  };
}

function parseWebhook(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (url === undefined || !isWeb || url.username !== "" || url.password !== "")
    throw new ConfigError(
      "wanted a webhook's address that begins with https:// (http:// to this machine alone) and has no user name or password; the one that was given is not like that.",
    );
  return url;
}
