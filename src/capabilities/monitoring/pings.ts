import type { Log } from "../../core/base/log.ts";
import { proxySettings } from "../../core/cli/config.ts";
import type { JobIo, SectionNotices, WatchedSection } from "../../core/cli/hooks.ts";
import { ConfigError } from "../../core/errors.ts";
import { type ExitName, exitCodes, gravest, stoppedByUser } from "../../core/exit-codes.ts";
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
    const posted =
      line === undefined ? {} : ({ method: "POST", body: line, headers: { "content-type": "text/plain; charset=utf-8" } } as const);
    const request = { url: target, method: "GET", limitMs, signal: hurry.signal, proxies: proxySettings(io.env), ...posted } as const;
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

type Watched = {
  readonly pings: Pings;
  /** The sections that are one run. */
  readonly sections: readonly WatchedSection[];
  readonly begun: Set<WatchedSection>;
  readonly exits: ExitName[];
  readonly lines: string[];
};

/** Pings of sections that run in turn. Those with one URL are one run: it starts when the first begins its work, and ends with the last. */
export class SectionPings implements SectionNotices {
  readonly #runs: readonly Watched[];

  constructor(sections: readonly WatchedSection[], surroundings: { readonly io: JobIo; readonly log: Log }) {
    const byUrl = Map.groupBy(sections, runOf);
    this.#runs = Array.from(byUrl, ([url, same]) =>
      url === undefined
        ? []
        : [{ pings: openPings(url, surroundings), sections: same, begun: new Set<WatchedSection>(), exits: [], lines: [] }],
    ).flat();
  }

  async start(section: WatchedSection): Promise<void> {
    const run = this.#runOf(section);
    const isFirst = run?.begun.size === 0;
    run?.begun.add(section);
    if (isFirst) await run?.pings.start();
  }

  /** Notes how a section ended, with its line; one that was left out ended as what it was left out for. */
  note(section: WatchedSection, exit: ExitName, line: string): void {
    const run = this.#runOf(section);
    run?.lines.push(`${section.name}: ${line}`);
    run?.exits.push(exit);
  }

  /** Ends the run that `section` is the last of. A section that another run holds did not seal; where all are held, the others tell. */
  async endWith(section: WatchedSection): Promise<void> {
    const run = this.#runOf(section);
    if (run === undefined || run.begun.size === 0 || run.sections.at(-1) !== section) return;
    await run.pings.end(gravest(run.exits), run.lines.join("\n"));
    run.begun.clear();
  }

  /** Ends all runs under way as failed. */
  async fail(): Promise<void> {
    for (const { pings, begun } of this.#runs) if (begun.size > 0) await pings.end("failed");
  }

  #runOf(section: WatchedSection): Watched | undefined {
    return this.#runs.find(({ sections }) => sections.includes(section));
  }
}

/** The run that a section belongs to; undefined for none. What is no URL is the complaint of the section itself. */
function runOf({ pingUrl }: WatchedSection): string | undefined {
  return pingUrl !== undefined && isPingUrl(pingUrl) ? pingTarget(pingUrl).href : undefined;
}
