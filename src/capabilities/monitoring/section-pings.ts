import type { Log } from "../../core/base/log.ts";
import type { JobIo, SectionNotices, WatchedSection } from "../../core/cli/hooks.ts";
import { type ExitName, gravest } from "../../core/exit-codes.ts";
import { isPingUrl, openPings, type Pings, pingTarget } from "./pings.ts";

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
