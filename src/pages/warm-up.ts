import { setTimeout } from "node:timers/promises";
import { sealedAmong } from "../questions/diff/last-night.ts";
import { nightsFrom } from "./changes/night-changes.ts";
import { handlers } from "./handlers.ts";
import { linksFrom } from "./html/links.ts";
import type { PageCall } from "./page.ts";
import type { PageArchive } from "./page-archive.ts";
import type { PageName } from "./routes.ts";

/** Pages whose first making costs most: their statements are prepared and their code is compiled by it. */
const FIRST: readonly (readonly [PageName, Readonly<Record<string, string>>])[] = [
  ["page.home", {}],
  ["page.changes", {}],
  ["page.coverage", {}],
  ["page.search", { q: "coin" }],
];

/** Changes that are weighed ahead; half of those that are remembered, so that what readers ask for stays too. */
const WEIGHED = 10_000;

/** How long nothing is done after each comparison, which takes some milliseconds: readers' pages come between. */
const PAUSE_MS = 1;

/**
 * Does ahead what would keep the first readers waiting, from the newest night back, until all is done or the signal aborts: makes a page
 * of each costly kind, and weighs changes, of which a night has many and each takes some milliseconds.
 */
export async function warmUp(archive: PageArchive, now: number, signal: AbortSignal): Promise<void> {
  for (const [page, values] of FIRST) {
    if (signal.aborted) return;
    await handlers[page](callFor(archive, values, now, signal));
  }
  let weighed = 0;
  for await (const { changes } of nightsFrom(archive.store, sealedAmong(await archive.store.listSnapshots()))) {
    for (const change of changes) {
      if (signal.aborted || ++weighed > WEIGHED) return;
      if (archive.summaries.knows(change)) continue;
      await archive.summaries.of(change);
      await setTimeout(PAUSE_MS, undefined, { ref: false, signal });
    }
  }
}

function callFor(archive: PageArchive, values: Readonly<Record<string, string>>, now: number, signal: AbortSignal): PageCall {
  return {
    archive,
    links: linksFrom("/"),
    parts: [],
    query: (name) => values[name],
    values,
    now,
    signal,
    client: "warm-up",
    isFromElsewhere: false,
  };
}
