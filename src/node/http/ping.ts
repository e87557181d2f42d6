import { printable } from "../../base/printable.ts";
import { openConnections, type ProxySettings } from "./connections.ts";
import { userAgent } from "./user-agent.ts";

/** How long a ping may take. */
const LIMIT_MS = 5_000;
const BODY_BYTES = 65_536;

/**
 * One GET that tells a monitoring service how a job is going; the answer's body is discarded.
 *
 * @returns undefined when it was accepted, else why not, in words. Never throws: a job does not fail because its monitoring does.
 */
export async function ping(url: URL, proxies?: ProxySettings): Promise<string | undefined> {
  const limits = { connections: 1, connectTimeoutMs: LIMIT_MS, silenceMs: LIMIT_MS, bodyBytes: BODY_BYTES };
  const { dispatcher } = openConnections(url, limits, proxies);
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const headers = { "user-agent": userAgent(undefined) };
    const { statusCode, body } = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET",
      signal,
      headers,
    });
    await body.dump({ limit: BODY_BYTES, signal });
    return statusCode >= 200 && statusCode < 300 ? undefined : `it answered with HTTP status ${statusCode}`;
  } catch (error) {
    if (signal.aborted) return `it did not answer within ${LIMIT_MS / 1000} s`;
    const { code, message } = error as NodeJS.ErrnoException;
    return printable(code ?? message, 200);
  } finally {
    await dispatcher.destroy();
  }
}
