import { createHmac } from "node:crypto";
import { sha256Hex } from "../../../core/base/sha256.ts";
import { ConfigError } from "../../../core/errors.ts";
import { isLoopback } from "../../../core/node/http/base-url.ts";
import type { ProxySettings } from "../../../core/node/http/connections.ts";
import { sendOnce } from "../../monitoring/one-request.ts";
import type { WebhookFormat } from "../receivers.ts";
import { jsonBody, slackBody } from "./bodies.ts";
import { type Channel, TOLD } from "./channel.ts";

export type WebhookOptions = {
  readonly format: WebhookFormat;
  /** The key of signatures, without which messages are not signed. */
  readonly secret: string | undefined;
  readonly proxies: ProxySettings | undefined;
  readonly now: () => number;
  /** Certificates, as PEM, that are trusted beside those of the system. */
  readonly ca?: string | undefined;
  /** Whether `http://` may leave this machine. */
  readonly allowHttp?: boolean | undefined;
  /** How long one try may take; ten seconds. */
  readonly limitMs?: number;
};

const LIMIT_MS = 10_000;
/** Statuses that say nothing of the message: the same request may be taken later. */
const NOT_OF_MESSAGE = new Set([401, 403, 404, 408, 410, 425, 429]);
const GONE = 410;

/** A webhook: each message is one POST. Redirects are not followed. @throws ConfigError for an address that is none or would send openly */
export function webhookChannel(text: string, options: WebhookOptions): Channel {
  const { format, secret, proxies, now, ca, limitMs = LIMIT_MS } = options;
  const url = parseWebhook(text, options);
  // The path is often all the secret there is; a few digits of a hash tell two of them apart.
  const address = sha256Hex(url.href).slice(0, 8);
  return {
    channel: `webhook ${url.origin} (${address})`,
    address,
    level: "any",
    isApart: false,
    tell: async (notice) => {
      const body = format === "json" ? jsonBody(notice) : slackBody(notice);
      const signed = signedHeaders(secret, notice.id, body, now());
      const headers = { "content-type": "application/json; charset=utf-8", ...signed };
      const answer = await sendOnce({ url, method: "POST", headers, body, limitMs, proxies, ca });
      if ("fault" in answer) return { isTold: false, fault: answer.fault, isOfPlace: true };
      const { status, ...asked } = answer;
      if (status >= 200 && status < 300) return TOLD;
      const isOfPlace = status < 400 || status >= 500 || NOT_OF_MESSAGE.has(status);
      if (status === GONE) return { isTold: false, fault: "it answered with HTTP status 410: it is gone for good", isOfPlace, isEnd: true };
      return { isTold: false, fault: `it answered with HTTP status ${status}`, isOfPlace, ...asked };
    },
  };
}

function parseWebhook(text: string, { allowHttp = false }: Pick<WebhookOptions, "allowHttp">): URL {
  const url = URL.parse(text);
  const isWeb = url?.protocol === "https:" || (url?.protocol === "http:" && (allowHttp || isLoopback(url)));
  if (url === null || !isWeb || url.username !== "" || url.password !== "")
    throw new ConfigError(
      "the webhook's address must begin with https:// (http:// only for this machine, or with --allow-http), without a user name or password.",
    );
  return url;
}

/**
 * The headers of Standard Webhooks 1.0 ("Symmetric signatures"): HMAC-SHA-256 over identifier, time (`atMs` since 1970) and body.
 * A secret that begins with `whsec_` is base64, any other is taken as it is.
 */
function signedHeaders(secret: string | undefined, id: string, body: string, atMs: number): Record<string, string> {
  const timestamp = Math.floor(atMs / 1000).toString();
  const headers = { "webhook-id": id, "idempotency-key": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return headers;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}
