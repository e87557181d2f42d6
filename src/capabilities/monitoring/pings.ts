import type { Log } from "../../core/base/log.ts";
import { proxySettings } from "../../core/cli/config.ts";
import type { JobIo } from "../../core/cli/hooks.ts";
import { ConfigError } from "../../core/errors.ts";
import { type ExitName, exitCodes, stoppedByUser } from "../../core/exit-codes.ts";
import { sendOnce } from "./one-request.ts";

/** What pings a URL for a run; undefined where another run pings for it. @throws ConfigError when it is none */
export function pingsTo(url: string, run: { readonly io: JobIo; readonly log: Log }): Pings | undefined {
  if (!isPingUrl(url)) throw new ConfigError("the ping URL must begin with http:// or https://.");
  return run.io.isPart ? undefined : openPings(url, run);
}

export function isPingUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

/** The address of one ping of a run; without a suffix, that of its success. Slashes at the end of the URL's path do not count. */
export function pingTarget(url: string, suffix: "" | "/start" | "/fail" = ""): URL {
  const target = new URL(url);
  target.pathname = target.pathname.replace(/\/+$/, "") + suffix;
  return target;
}

const LIMIT_MS = 5_000;

/** How long the pings of a start and of an end may take, or go on, once a signal has come. */
const STOPPED_MS = { start: 500, end: 2_000 };

export type Pings = ReturnType<typeof openPings>;

/**
 * Tells the service at a ping URL that a run began and how it ended: by a GET, or a POST of the line that says how. A ping that fails is a
 * warning: a run does not fail because its monitoring does.
 */
export function openPings(url: string, { io, log }: { readonly io: JobIo; readonly log: Log }) {
  async function send(suffix: "" | "/start" | "/fail", line?: string, limitMs = LIMIT_MS): Promise<void> {
    const hurry = new AbortController();
    const unlisten = io.onStopSignal(() => {
      setTimeout(() => hurry.abort(), suffix === "/start" ? STOPPED_MS.start : STOPPED_MS.end).unref();
    });
    const target = pingTarget(url, suffix);
    const told =
      line === undefined ? {} : ({ method: "POST", body: line, headers: { "content-type": "text/plain; charset=utf-8" } } as const);
    const request = { url: target, method: "GET", limitMs, signal: hurry.signal, proxies: proxySettings(io.env), ...told } as const;
    const answer = await sendOnce(request).finally(unlisten);
    const fault = "fault" in answer ? answer.fault : `it answered with HTTP status ${answer.status}`;
    // The path is often the only secret of such a URL.
    if ("fault" in answer || answer.status < 200 || answer.status >= 300) log("warn", `the ping to ${target.origin} failed: ${fault}`);
  }
  return {
    /** `exit` is that of a run which ended before it began. */
    start: (exit: ExitName = "done"): Promise<void> =>
      send("/start", undefined, stoppedByUser.includes(exit) ? STOPPED_MS.start : LIMIT_MS),
    /** `line` says how it ended: whoever is woken reads it first. */
    end: (exit: ExitName, line?: string): Promise<void> =>
      send(exitCodes[exit].code === 0 ? "" : "/fail", line, stoppedByUser.includes(exit) ? STOPPED_MS.end : LIMIT_MS),
  };
}
