import { packageVersion } from "../../base/files/package-file.ts";
import { MovedexError } from "../../errors.ts";
import { assets, hashed } from "../assets/assets.ts";
import { pageScript } from "../assets/script.ts";
import { handlers } from "../handlers.ts";
import { html } from "../html/html.ts";
import { prose } from "../html/texts.ts";
import { layout } from "../layout.ts";
import type { Page, PageCall } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { type SiteIndex, siteLinks } from "./site-links.ts";
import type { SitePage } from "./site-pages.ts";
import { askIndex } from "./site-script.ts";

/** What a page in a file may do: a header says more, and cannot be said here (`frame-ancestors`). */
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'";

const version = packageVersion();

/** The files that pages of a site refer to: those of the service, with a script that searches by itself. */
export const siteAssets = {
  ...assets,
  script: hashed("site", "js", "text/javascript; charset=utf-8", pageScript(askIndex)),
} as const;

/** What all files of a site are made with. */
export type SiteSurroundings = { readonly archive: PageArchive; readonly index: SiteIndex; readonly baseUrl: string | undefined };

/** The content of a file: the same page as the service's, with links to files. */
export async function makeSitePage(surroundings: SiteSurroundings, { file, page, parts, values }: SitePage): Promise<Uint8Array> {
  const { archive, index, baseUrl } = surroundings;
  const call: PageCall = {
    archive,
    links: siteLinks(index, file, baseUrl),
    parts,
    query: (name) => values[name],
    now: index.world.now,
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

export function framed({ index, baseUrl }: Omit<SiteSurroundings, "archive">, file: string, page: Page): Uint8Array {
  const { style, script } = siteAssets;
  const links = siteLinks(index, file, baseUrl);
  const { chainId } = index.world;
  const policy = baseUrl === undefined ? POLICY : POLICY.replaceAll("'self'", `'self' ${new URL(baseUrl).origin}`);
  return Buffer.from(layout(page, { links, version, hasSql: false, chainId, policy, style: style.name, script: script.name }).text);
}
