import { printable } from "../../core/base/printable.ts";
import { userAgent } from "../../core/node/http/base-url.ts";
import { openConnections, type ProxySettings } from "../../core/node/http/connections.ts";
import { firstOf } from "../../core/node/protocol/ledger-head.ts";
import { PROXY_CREDENTIALS, PROXY_REFUSES, parseRetryAfter } from "../../core/node/protocol/node-error.ts";

/** One request to somebody who is told something. */
export type OneRequest = {
  readonly url: URL;
  readonly method: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How long all of it may take. */
  readonly limitMs: number;
  /** Ends it before. */
  readonly signal?: AbortSignal;
  readonly proxies?: ProxySettings | undefined;
  /** Certificates, as PEM, that are trusted beside those of the system. */
  readonly ca?: string | undefined;
};

/** What came of it: the status of an answer, or why there is none, in words that hold nothing of the URL behind its host. */
export type OneAnswer = { readonly status: number; readonly retryAfterMs?: number } | { readonly fault: string };

/** Bytes of an answer that are read and thrown away; its connection is closed at more. */
const BODY_BYTES = 65_536;

/** Sends one request on a connection of its own; the answer's body is discarded, a redirect is an answer. Never throws. */
export async function sendOnce({ url, method, headers = {}, body, limitMs, signal: hurry, proxies, ca }: OneRequest): Promise<OneAnswer> {
  const limits = { connections: 1, connectTimeoutMs: limitMs, silenceMs: limitMs, bodyBytes: BODY_BYTES, ca };
  const signal = AbortSignal.any([AbortSignal.timeout(limitMs), ...(hurry === undefined ? [] : [hurry])]);
  const { dispatcher } = openConnections(url, limits, proxies);
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      signal,
      headers: { "user-agent": userAgent(undefined), ...headers },
      body: body ?? null,
    });
    // The status is the answer, whatever becomes of the rest.
    await answer.body.dump({ limit: BODY_BYTES, signal }).catch(() => undefined);
    const [retryAfter, date] = [firstOf(answer.headers["retry-after"]), firstOf(answer.headers["date"])];
    // Without the server's own time a moment means nothing here; seconds do.
    const retryAfterMs = parseRetryAfter(retryAfter, date, Number.NaN);
    return { status: answer.statusCode, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  } catch (error) {
    if (hurry?.aborted) return { fault: "it had not answered when a signal ended the run" };
    if (signal.aborted) return { fault: `it did not answer within ${limitMs / 1000} s` };
    const { code, message } = error as NodeJS.ErrnoException;
    if (PROXY_REFUSES.test(message)) return { fault: PROXY_CREDENTIALS };
    return { fault: printable(code ?? message, 200) };
  } finally {
    await dispatcher.destroy();
  }
}
