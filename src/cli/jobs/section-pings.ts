import type { Log } from "../../base/log.ts";
import type { ExitName } from "../../exit-codes.ts";
import type { Io } from "../io.ts";
import type { SectionToRun } from "../settings/settings.ts";
import { gravest } from "./job.ts";
import { isPingUrl, Pings } from "./pings.ts";

type Watched = { readonly pings: Pings; readonly last: SectionToRun; readonly exits: ExitName[] };

/** Pings of sections that run in turn. Those with the same URL are one run, which starts with the first and ends with the last. */
export class SectionPings {
  readonly #last: ReadonlyMap<string, SectionToRun>;
  readonly #surroundings: { readonly io: Io; readonly log: Log };
  /** The runs under way, by their URL. */
  readonly #watched = new Map<string, Watched>();

  constructor(sections: readonly SectionToRun[], surroundings: { readonly io: Io; readonly log: Log }) {
    // What is no URL is the complaint of the section itself.
    this.#last = new Map(
      sections.flatMap((section) => (section.pingUrl && isPingUrl(section.pingUrl) ? [[section.pingUrl, section]] : [])),
    );
    this.#surroundings = surroundings;
  }

  async start({ pingUrl = "" }: SectionToRun): Promise<void> {
    const last = this.#last.get(pingUrl);
    if (last === undefined || this.#watched.has(pingUrl)) return;
    const pings = new Pings(pingUrl, this.#surroundings);
    this.#watched.set(pingUrl, { pings, last, exits: [] });
    await pings.start();
  }

  /** Notes how a section ended; one that was left out ended as what it was left out for. */
  note({ pingUrl = "" }: SectionToRun, exit: ExitName): void {
    this.#watched.get(pingUrl)?.exits.push(exit);
  }

  /** Ends the runs that `section` was the last of. */
  async endWith(section: SectionToRun): Promise<void> {
    for (const [url, { pings, last, exits }] of this.#watched) {
      if (last !== section) continue;
      this.#watched.delete(url);
      await pings.end(gravest(exits));
    }
  }

  /** Ends all runs under way as failed. */
  async fail(): Promise<void> {
    for (const { pings } of this.#watched.values()) await pings.end("failed");
  }
}
