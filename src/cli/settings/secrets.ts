import { holdsPassword } from "../../engine/place.ts";
import { parseBaseUrl } from "../../node/http/base-url.ts";

/** Keys of a settings file that name an environment variable, and the option, or variable of movedex itself, that they stand for.
 * A retired one is still taken, and its variable still kept from programs. */
export const NAMED_SECRETS = {
  "api-key-env": { variable: "MOVEDEX_API_KEY" },
  "basic-auth-env": { variable: "MOVEDEX_BASIC_AUTH" },
  "ping-url-env": { option: "ping-url" },
  "webhook-env": { variable: "MOVEDEX_WEBHOOK_URL" },
  "webhook-secret-env": { variable: "MOVEDEX_WEBHOOK_SECRET" },
  "smtp-env": { retired: "MOVEDEX_SMTP_URL" },
  "db-env": { option: "db" },
  "rpc-env": { option: "rpc" },
} as const satisfies Readonly<Record<string, { readonly variable: string } | { readonly option: string } | { readonly retired: string }>>;

/** Keys that no option is called. */
export const EXTRA_KEYS: readonly string[] = [...Object.keys(NAMED_SECRETS), "contact"];

/** Whether a key's value would be a secret by itself. A ping's URL is: who knows it can report a night as done. So is a webhook's. */
export function isSecretKey(key: string): boolean {
  return key === "api-key" || key === "ping-url" || key === "webhook" || key === "webhook-secret";
}

/** What is secret in the value of a key that may stand in a file; undefined for nothing. */
export function secretIn(key: string, value: string): string | undefined {
  if (key === "db" && holdsPassword(value)) return "a password";
  if (key !== "rpc" || !URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.username !== "" || url.password !== "") return "a password";
  return url.search === "" && url.hash === "" && parseBaseUrl(value).secrets.length > 0 ? "what looks like a key" : undefined;
}
