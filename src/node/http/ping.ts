import type { ProxySettings } from "./connections.ts";
import { sendOnce } from "./one-request.ts";

/** How long a ping may take. */
const LIMIT_MS = 5_000;

/**
 * One GET that tells a monitoring service how a job is going; the answer's body is discarded.
 * @returns undefined when it was accepted, else why not, in words. Never throws: a job does not fail because its monitoring does.
 */
export async function ping(url: URL, proxies?: ProxySettings): Promise<string | undefined> {
  const answer = await sendOnce({ url, method: "GET", limitMs: LIMIT_MS, proxies });
  if ("fault" in answer) return answer.fault;
  return answer.status >= 200 && answer.status < 300 ? undefined : `it answered with HTTP status ${answer.status}`;
}
