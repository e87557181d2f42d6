import { printable } from "../base/printable.ts";
import { parseU64 } from "../base/u64.ts";
import type { MovedexError } from "../errors.ts";
import { type Address, parseAddress } from "../move/address.ts";
import { type Html, html } from "./html/html.ts";
import { linksFrom } from "./html/links.ts";
import { accountLink, madeAt, prose, versionText } from "./html/texts.ts";
import type { Page, PageRequest } from "./page.ts";
import type { PageArchive } from "./page-archive.ts";

/** Says why a page cannot be shown, and leads to what is held instead: names that may have been meant, versions near by, the account. */
export async function problemPage({ modules }: PageArchive, { code, message, facts }: MovedexError, request: PageRequest): Promise<Page> {
  const { home } = linksFrom(request.path);
  const isMissing = code === "MOVEDEX_NOT_HELD";
  const title = isMissing ? "Not held" : "Not understood";
  const address = parseAddress(request.parts[0] ?? "");
  const isHeld = isMissing && address !== undefined && (await modules.newestCovering(address)) !== undefined;
  const instead = isHeld ? held(address, facts["names"], facts["versions"], request) : "";
  // Where the file lies is none of a visitor's business.
  const words = message.replaceAll(`\`${printable(modules.path)}\``, "this archive");
  const body = html`<h1>${title}</h1><p class="lead">${prose(words)}</p>${await madeWhen(modules, message)}${instead}<p><a href="${home}">To the overview</a></p>`;
  return { status: isMissing ? 404 : 400, title, body };
}

/** When the ledger made the version that a message names. */
async function madeWhen(modules: PageArchive["modules"], message: string): Promise<Html> {
  const version = parseU64(/ledger version (\d+)/.exec(message)?.[1] ?? "");
  const made = version === undefined ? undefined : (await modules.timesOf([version])).get(version);
  return made?.ledgerTime == null ? html`` : html`<p class="dim small">The ledger made that version at${madeAt(made)}.</p>`;
}

function held(address: Address, names: unknown, versions: unknown, { path, search, page, parts: [, module = ""] }: PageRequest): Html {
  const links = linksFrom(path);
  const at = new URLSearchParams(search).get("at") ?? undefined;
  const named = (name: string): Html => {
    const isItem = page === "page.item";
    const href = isItem ? links.item({ address, name: module }, name, { at }) : links.module({ address, name }, { at });
    return html`<li><a class="mono" href="${href}">${name}</a></li>`;
  };
  const ofVersion = (version: string): Html => {
    const href =
      page === "page.account" ? links.account(address, { at: version }) : links.module({ address, name: module }, { at: version });
    return html`<li>at version <a class="num" href="${href}">${versionText(BigInt(version), new Map())}</a></li>`;
  };
  const account = page === "page.account" ? "" : html`<li>the account ${accountLink(links, address)}</li>`;
  return html`<p>Held instead:</p><ul>${listOf(names).map(named)}${listOf(versions).map(ofVersion)}${account}</ul>`;
}

function listOf(fact: unknown): readonly string[] {
  return Array.isArray(fact) ? (fact as readonly string[]) : [];
}
