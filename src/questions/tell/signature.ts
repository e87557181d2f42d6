import { createHmac } from "node:crypto";

/**
 * The headers by which a receiver knows who sent a body, that nobody altered it, and that it is a repetition: those of Standard
 * Webhooks 1.0, with HMAC-SHA-256 over identifier, time and body. A secret that begins with `whsec_` is base64 behind it, any other
 * is taken as it is.
 *
 * Source: the specification at standardwebhooks.com, "Symmetric signatures".
 *
 * @param atMs when it is sent, milliseconds since 1970
 */
export function signedHeaders(secret: string | undefined, id: string, body: string, atMs: number): Record<string, string> {
  const timestamp = Math.floor(atMs / 1000).toString();
  const headers = { "webhook-id": id, "idempotency-key": id, "webhook-timestamp": timestamp };
  if (secret === undefined) return headers;
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { ...headers, "webhook-signature": `v1,${signature}` };
}
