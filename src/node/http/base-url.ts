import { printable } from "../../base/printable.ts";
import { ConfigError } from "../../errors.ts";

/** A ledger node's base URL in parts. */
export type BaseUrl = {
  /** `https://host:port` */
  readonly origin: string;
  /** The path before `/accounts`, without a slash at its end: `/v1`. */
  readonly path: string;
  /** The URL for messages and logs: path segments that look like keys are left out. */
  readonly shown: string;
  /** Whether what is sent can be read by others: plain HTTP to another machine. */
  readonly isOpen: boolean;
};

// Some providers put the customer's key into the path: a long segment with a digit.
const KEY_LIKE = /^(?=.*\d)[A-Za-z0-9_-]{20,}$/;

/** Text to a node's base URL. `/v1` is added when the path is empty, since a node's root is a page for browsers. Throws ConfigError. */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ConfigError(`The node's URL must look like https://host/v1, not \`${printable(text, 80)}\``);
  }
  if (url.username !== "" || url.password !== "") {
    throw new ConfigError("The node's URL must not hold a user name or password; give an API key in the environment instead");
  }
  if (url.search !== "" || url.hash !== "") throw new ConfigError("The node's URL must have no `?` and no `#`");
  const trimmed = url.pathname.replace(/\/+$/, "");
  const path = trimmed === "" ? "/v1" : trimmed;
  const shownPath = path.replace(/[^/]+/g, (segment) => (KEY_LIKE.test(segment) ? "…" : segment));
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  return { origin: url.origin, path, shown: url.origin + shownPath, isOpen: url.protocol === "http:" && !isLocal };
}
