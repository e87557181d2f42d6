import type { Readable } from "node:stream";
import { Pool } from "undici";
import type { Headers } from "../answers/ledger-head.ts";
import { NodeError } from "../node-error.ts";
import { nodeLimits } from "../node-limits.ts";
import { parseBaseUrl } from "./base-url.ts";
import { requestHeaders } from "./request-headers.ts";
import { transportFault } from "./transport.ts";

/** What a node says to a request that was handed on to it: as it came, still packed. The body has to be read or destroyed. */
export type ForwardedAnswer = { readonly status: number; readonly headers: Headers; readonly body: Readable };

/** A way to hand single requests on to a node, one attempt each. */
export type Forwarder = {
  /**
   * @param path what follows the node's base URL, query included: `/accounts/0x1?ledger_version=7`
   * @param headers of the request; the node's credential and our User-Agent are added
   * @throws NodeError when no answer begins
   */
  readonly forward: (
    method: "GET" | "HEAD",
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ) => Promise<ForwardedAnswer>;
  /** The node's base URL, without secrets. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** How to reach the node. */
export type ForwarderOptions = {
  readonly url: string;
  readonly apiKey?: string;
  readonly contact?: string;
  /** Requests on the way at once; further ones wait. */
  readonly connections: number;
  /** Silence that is borne before the headers and between two pieces of the body. */
  readonly silenceMs: number;
};

/**
 * Opens a forwarder. Redirects are answers like any other and are not followed, so the credential goes to this node and
 * nowhere else. Nothing is sent yet. @throws ConfigError for a URL that is none
 */
export function openForwarder(options: ForwarderOptions): Forwarder {
  const url = parseBaseUrl(options.url);
  const own = requestHeaders(options).page;
  const ours = { "user-agent": own["user-agent"] as string, ...(own["authorization"] ? { authorization: own["authorization"] } : {}) };
  const pool = new Pool(url.origin, {
    connections: options.connections,
    pipelining: 1,
    allowH2: false,
    connect: { timeout: Math.min(nodeLimits.connectTimeoutMs, options.silenceMs) },
    headersTimeout: options.silenceMs,
    bodyTimeout: options.silenceMs,
    keepAliveTimeout: 30_000,
    maxResponseSize: nodeLimits.packedBytes,
  });
  const redact = (text: string): string => (options.apiKey ? text.replaceAll(options.apiKey, "…") : text);

  return {
    url: url.shown,
    forward: async (method, path, headers, signal) => {
      try {
        const answer = await pool.request({ method, path: url.path + path, headers: { ...headers, ...ours }, signal });
        // Whoever destroys a body has no more use for it, and a stream's error that nobody hears ends the process.
        answer.body.on("error", () => undefined);
        return { status: answer.statusCode, headers: answer.headers, body: answer.body };
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw new NodeError(transportFault(error), { url: url.shown + path, attempts: 1, redact });
      }
    },
    close: () => pool.destroy(),
  };
}
