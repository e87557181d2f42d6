import { memoize } from "../../base/memoize.ts";
import { MovedexError } from "../../errors.ts";
import { assets, hashed, policy } from "../assets/assets.ts";
import { handlers } from "../handlers.ts";
import { html } from "../html/html.ts";
import { prose } from "../html/texts.ts";
import { layout } from "../layout.ts";
import type { Page, PageCall } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import type { MadeFile, PutFile } from "./site-files.ts";
import { type SiteUnit, siteLinks } from "./site-links.ts";
import { accountPage, modulePages, type SitePage } from "./site-pages.ts";
import { askIndex } from "./site-script.ts";
import type { SiteWorld } from "./site-world.ts";

/** The script of the service's pages, with another way to look up suggestions. */
const script = Buffer.from(assets.script.body)
  .toString("utf8")
  .replace(/^const ask = .*?^};$/ms, () => askIndex);

/** The files that pages of a site refer to: those of the service, with a script that searches by itself. */
export const siteAssets = {
  ...assets,
  script: hashed("site", "js", "text/javascript; charset=utf-8", script),
} as const;

/** What all files of a site are made with. */
export type SiteSurroundings = { readonly archive: PageArchive; readonly world: SiteWorld; readonly baseUrl: string | undefined };

/** The content of a file: the same page as the service's, with links to files. */
export async function makeSitePage(surroundings: SiteSurroundings, { file, page, parts, values }: SitePage): Promise<Uint8Array> {
  const { archive, world, baseUrl } = surroundings;
  const call: PageCall = {
    archive,
    links: siteLinks(world, file, baseUrl),
    parts,
    query: (name) => values[name],
    now: world.now,
    signal: new AbortController().signal,
    client: "site",
    isFromElsewhere: false,
  };
  const made = await handlers[page](call).catch((error: unknown): Page => {
    if (!(error instanceof MovedexError) || error.code !== "MOVEDEX_NOT_HELD") throw error;
    return { title: "Not held", body: html`<h1>Not held</h1><p class="lead">${prose(error.message)}</p>` };
  });
  return "contentType" in made ? made.body : framed(surroundings, file, made);
}

export function framed({ world, baseUrl }: Omit<SiteSurroundings, "archive">, file: string, page: Page): Uint8Array {
  const links = siteLinks(world, file, baseUrl);
  const { chainId } = world;
  // A header says more, and cannot be said in a file: `frame-ancestors`.
  const own = baseUrl === undefined ? policy : policy.replaceAll("'self'", `'self' ${new URL(baseUrl).origin}`);
  return Buffer.from(layout(page, { links, hasSql: false, chainId, policy: own, script: siteAssets.script.name }).text);
}

/** Makes the files of a module or an account. */
export async function makeUnit({ archive, ...all }: SiteSurroundings, put: PutFile, unit: SiteUnit): Promise<readonly MadeFile[]> {
  const surroundings = { ...all, archive: withRememberedAnswers(archive) };
  const made: MadeFile[] = [];
  for (const page of typeof unit === "string" ? [accountPage(unit)] : await modulePages(surroundings.archive, unit))
    made.push(put(page.file, await makeSitePage(surroundings, page)));
  return made;
}

/** Questions whose answers the pages of one module share. */
const ASKED = {
  modules: ["chainId", "newestCovering", "findModule", "historyOf", "sealedVersions", "standingAmong", "timesOf", "coverage"],
  store: ["changesOf"],
} as const;

/** An archive that remembers what it was asked, for the pages of one module: a hundred of them ask the same. */
function withRememberedAnswers(archive: PageArchive): PageArchive {
  const remembering = <T extends object>(of: T, names: readonly (keyof T)[]): T => {
    const remembered = (name: keyof T) =>
      memoize(Number.POSITIVE_INFINITY, (...values) => values.map(keyOf).join(" "), of[name] as (...values: unknown[]) => Promise<unknown>);
    return { ...of, ...Object.fromEntries(names.map((name) => [name, remembered(name)])) };
  };
  return { ...archive, modules: remembering(archive.modules, ASKED.modules), store: remembering(archive.store, ASKED.store) };
}

function keyOf(value: unknown): string {
  if (Array.isArray(value) && typeof value[0] === "bigint") return value.join();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
