import type { Log } from "../../core/base/log.ts";
import { proxySettings } from "../../core/cli/config.ts";
import type { JobIo } from "../../core/cli/hooks.ts";
import { ConfigError } from "../../core/errors.ts";
import { type ExitName, exitCodes } from "../../core/exit-codes.ts";
import { ping } from "./one-request.ts";

/** What pings a URL for a run; undefined where another run pings for it. @throws ConfigError when it is none */
export function pingsTo(url: string, run: { readonly io: JobIo; readonly log: Log }): Pings | undefined {
  if (!isPingUrl(url)) throw new ConfigError("the ping URL must begin with http:// or https://.");
  return run.io.isPart ? undefined : new Pings(url, run);
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

/** Tells the service at a ping URL that a run began and how it ended. A ping that fails is a warning. */
export class Pings {
  readonly #url: string;
  readonly #io: JobIo;
  readonly #log: Log;

  constructor(url: string, { io, log }: { readonly io: JobIo; readonly log: Log }) {
    this.#url = url;
    this.#io = io;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.#send("/start");
  }

  /** `line` says how it ended: whoever is woken reads it first. */
  async end(exit: ExitName, line?: string): Promise<void> {
    await this.#send(exitCodes[exit].code === 0 ? "" : "/fail", line);
  }

  async #send(suffix: "" | "/start" | "/fail", line?: string): Promise<void> {
    const target = pingTarget(this.#url, suffix);
    const fault = await ping(target, line, proxySettings(this.#io.env));
    // The path is often the only secret of such a URL.
    if (fault !== undefined) this.#log("warn", `the ping to ${target.origin} failed: ${fault}`);
  }
}
