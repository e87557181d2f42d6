import { handlers } from "./handlers.ts";
import { linksFrom } from "./html/links.ts";
import type { PageArchive } from "./page-archive.ts";
import type { PageName } from "./routes.ts";

/** Pages whose first making costs most: their statements are prepared and their code is compiled by it. */
const FIRST: readonly (readonly [PageName, Readonly<Record<string, string>>])[] = [
  ["page.home", {}],
  ["page.changes", {}],
  ["page.coverage", {}],
  ["page.search", { q: "coin" }],
];

/** Does ahead what would keep the first readers waiting: makes a page of each costly kind, until all are made or the signal aborts. */
export async function warmUp(archive: PageArchive, now: number, signal: AbortSignal): Promise<void> {
  for (const [page, values] of FIRST) {
    if (signal.aborted) return;
    const query = (name: string): string | undefined => values[name];
    await handlers[page]({ archive, links: linksFrom("/"), parts: [], query, now, signal, client: "warm-up", isFromElsewhere: false });
  }
}
