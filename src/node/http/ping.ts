import { Agent, request } from "undici";
import { printable } from "../../base/printable.ts";
import { userAgent } from "./user-agent.ts";

/** How long whoever watches over a job is waited for. */
const LIMIT_MS = 5_000;

/**
 * One GET that tells a watcher of jobs that something happened; the answer's body is thrown away.
 *
 * @returns undefined when it was taken, else why not, in words. Never throws: a job does not fail because nobody watches.
 */
export async function ping(url: URL): Promise<string | undefined> {
  const agent = new Agent({ connect: { timeout: LIMIT_MS } });
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    const { statusCode, body } = await request(url, { dispatcher: agent, signal, headers: { "user-agent": userAgent(undefined) } });
    await body.dump({ limit: 65_536, signal });
    return statusCode >= 200 && statusCode < 300 ? undefined : `it answered with HTTP status ${statusCode}`;
  } catch (error) {
    if (signal.aborted) return `it did not answer within ${LIMIT_MS / 1000} s`;
    const { code, message } = error as NodeJS.ErrnoException;
    return printable(code ?? message, 200);
  } finally {
    await agent.destroy();
  }
}
