import type { Readable } from "node:stream";
import { nodeLimits } from "../node-limits.ts";
import type { Headers } from "../protocol/ledger-head.ts";
import { NodeError } from "../protocol/node-error.ts";
import { parseBaseUrl, redactor, secretsOf } from "./base-url.ts";
import { openConnections, type ProxySettings } from "./connections.ts";
import { requestHeaders } from "./request-headers.ts";
import { secretFinder } from "./secret-finder.ts";
import { transportFault } from "./transport.ts";

/** A node's answer to a forwarded request, unchanged and still compressed. Its body has to be read or destroyed. */
export type ForwardedAnswer = { readonly status: number; readonly headers: Headers; readonly body: Readable };

export type ForwarderOptions = {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly contact?: string | undefined;
  /** Requests under way at one time; further ones wait. */
  readonly connections: number;
  /** How long the node may be silent before the headers and between two pieces of the body. */
  readonly silenceMs: number;
  readonly proxies?: ProxySettings;
};

/**
 * Opens a forwarder. Redirects are answers like any other and are not followed, so the credential goes to this node alone.
 * Nothing is sent yet. @throws ConfigError for a node's or a proxy's address that is none
 */
export function openForwarder(options: ForwarderOptions) {
  const url = parseBaseUrl(options.url);
  const { common } = requestHeaders(options);
  const { connections, silenceMs, proxies } = options;
  const connectTimeoutMs = Math.min(nodeLimits.connectTimeoutMs, silenceMs);
  const { dispatcher } = openConnections(url, { connections, silenceMs, connectTimeoutMs, bodyBytes: nodeLimits.wireBytes }, proxies);
  const redact = redactor(url, options.apiKey);

  return {
    /** The node's base URL, without secrets. */
    url: url.shown,
    /** Whether bytes hold the node's credential, in any encoding that programs write texts in. */
    holdsSecret: secretFinder(secretsOf(url, options.apiKey)),
    /**
     * @param path what follows the node's base URL, query included: `/accounts/0x1?ledger_version=7` @param headers of the request;
     * the node's credential and our User-Agent are added @throws NodeError when no answer begins
     */
    forward: async (
      method: "GET" | "HEAD",
      path: string,
      headers: Readonly<Record<string, string>>,
      signal: AbortSignal,
    ): Promise<ForwardedAnswer> => {
      try {
        const answer = await dispatcher.request({
          origin: url.origin,
          method,
          path: url.path + path,
          headers: { ...headers, ...common },
          signal,
        });
        // A destroyed body emits an error, and one without a listener would end the process.
        answer.body.on("error", () => undefined);
        return { status: answer.statusCode, headers: answer.headers, body: answer.body };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new NodeError(transportFault(error), { url: url.shown + path, attempts: 1, redact });
      }
    },
    close: (): Promise<void> => dispatcher.destroy(),
  };
}

export type Forwarder = ReturnType<typeof openForwarder>;
