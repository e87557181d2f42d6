import type { Log } from "../../base/log.ts";
import { type ExitName, gravest } from "../../exit-codes.ts";
import type { Io } from "../io.ts";
import type { SectionToRun } from "../settings/settings.ts";
import { isPingUrl, Pings, pingTarget } from "./pings.ts";

type Watched = { readonly pings: Pings; readonly last: SectionToRun; readonly exits: ExitName[]; readonly lines: string[] };

/** Pings of sections that run in turn. Those with the same URL are one run, which starts with the first and ends with the last. */
export class SectionPings {
  readonly #last: ReadonlyMap<string, SectionToRun>;
  readonly #surroundings: { readonly io: Io; readonly log: Log };
  /** The runs under way, by their URL. */
  readonly #watched = new Map<string, Watched>();

  constructor(sections: readonly SectionToRun[], surroundings: { readonly io: Io; readonly log: Log }) {
    this.#last = new Map(
      sections.flatMap((section) => {
        const url = runOf(section);
        return url === undefined ? [] : [[url, section]];
      }),
    );
    this.#surroundings = surroundings;
  }

  async start(section: SectionToRun): Promise<void> {
    const url = runOf(section) ?? "";
    const last = this.#last.get(url);
    if (last === undefined || this.#watched.has(url)) return;
    const pings = new Pings(url, this.#surroundings);
    this.#watched.set(url, { pings, last, exits: [], lines: [] });
    await pings.start();
  }

  /** Notes how a section ended, with its line; one that was left out ended as what it was left out for. */
  note(section: SectionToRun, exit: ExitName, line: string): void {
    const watched = this.#watched.get(runOf(section) ?? "");
    watched?.exits.push(exit);
    watched?.lines.push(`${section.name}: ${line}`);
  }

  /** Ends the runs that `section` was the last of. */
  async endWith(section: SectionToRun): Promise<void> {
    for (const [url, { pings, last, exits, lines }] of this.#watched) {
      if (last !== section) continue;
      this.#watched.delete(url);
      // A section that another run holds says nothing of the others. Only where all are held does that run tell of itself.
      const own = exits.filter((exit) => exit !== "locked");
      if (own.length > 0) await pings.end(gravest(own), lines.join("\n"));
    }
  }

  /** Ends all runs under way as failed. */
  async fail(): Promise<void> {
    for (const { pings } of this.#watched.values()) await pings.end("failed");
  }
}

/** The run that a section belongs to; undefined for none. What is no URL is the complaint of the section itself. */
function runOf({ pingUrl }: SectionToRun): string | undefined {
  return pingUrl !== undefined && isPingUrl(pingUrl) ? pingTarget(pingUrl).href : undefined;
}
