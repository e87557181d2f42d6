import { runsOf } from "../../../core/base/names.ts";
import { printable } from "../../../core/base/printable.ts";
import { parseAddress } from "../../../core/move/address.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { type Pasted, readPasted } from "../../explain/pasted.ts";
import { checkbox, choice, nothing } from "../../pages/html/elements.ts";
import { capital, prose, shortName } from "../../pages/html/texts.ts";
import { type PageCall, type PageHandler, readChoice } from "../../pages/page.ts";
import { withoutArguments } from "../../search/by-type.ts";
import { type SearchHit, type SearchKind, searchKinds } from "../../search/hits.ts";
import { type TypeUse, typeUsesOf, typeUseWords } from "../../search/item-uses.ts";
import { searchQueries, searchText } from "../../search/search.ts";
import { type Found, foundHit, foundItem, foundPasted } from "./found.ts";

/** Results of a page, suggestions, and characters of a text that are looked for. */
const [SHOWN, SUGGESTED, LETTERS] = [60, 8, 300];

/** `/search?q=…`: what an address, a name or some words lead to. What is named exactly comes first. */
export const searchPage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const q = (query("q") ?? "").slice(0, LETTERS);
  if (q !== "" && call.isFromElsewhere) {
    const body = html`<h1>Search</h1><p class="notice">A link led here. Look at the words, then search.</p>${filters(call, q, undefined)}`;
    return { title: "Search", search: q, isCached: false, body };
  }
  const kind = readChoice(query, "kind", searchKinds);
  const [full, isGoneAsked] = [fullName(q), query("gone") !== undefined];
  const withGone = isGoneAsked || full !== undefined;
  const [pasted, { words, result, note }] = await Promise.all([
    readPasted(archive.modules, q),
    searchText(archive.engine, q, { kinds: kind === undefined ? [] : [kind], withGone, limit: SHOWN }),
  ]);
  const named = result.hits.find((hit) => hit.firstVersion !== null && fullNameOf(hit) === full);
  const others = result.hits.filter((hit) => hit !== named && (isGoneAsked || hit.lastVersion === null));
  const hits = named === undefined ? others : [named, ...others];
  const only = named ?? (note === undefined ? onlyHit(hits, words, q.trim()) : undefined);
  const location = query("go") === undefined ? undefined : (pastedPage(pasted, q, links) ?? (only && foundHit(only, links).href));
  if (location !== undefined) return { title: "Search", search: q, location, body: html`<p><a href="${location}">What was found</a></p>` };
  const uses = kind === undefined ? await typeUsesOf(archive.modules, hits, words) : [];
  const above = [...pasted.map((one) => foundPasted(one, links)), ...uses.map((use) => foundUse(use, links))].map(foundItem);
  const body = html`<h1>${q === "" ? "Search" : html`Results for “${q}”`}</h1>
${filters(call, q, kind)}
${note !== undefined && html`<p class="notice">${prose(capital(note))}</p>`}
${above.length > 0 && html`<ul class="hits">${above}</ul>`}
${hits.length > 0 && html`<ol class="hits">${hits.map((hit) => foundItem(foundHit(hit, links)))}</ol>`}
${(result.hasMore || result.isCut) && html`<p class="dim">There is more; another word narrows it.</p>`}
${pasted.length + hits.length === 0 && q !== "" && nothing("Nothing that is held has these words.")}`;
  return { title: q === "" ? "Search" : `Search: ${shortName(q)}`, search: q, body };
};

function filters({ links, query }: PageCall, q: string, kind: SearchKind | undefined): Html {
  const kinds = choice("kind", [["", "all"], ...searchKinds.map((one) => [one, one] as const)], kind);
  return html`<form class="filters" action="${links.search()}"><label>Words<input name="q" value="${q}" maxlength="${LETTERS}"></label>
<label>Kind${kinds}</label>
${checkbox("gone", "include what was removed", query("gone") !== undefined)}<button class="primary">Search</button></form>`;
}

/** `0x1::coin` or `0x1::coin::Coin` as it is printed; undefined for what names no module of an account. */
function fullName(q: string): string | undefined {
  const [account = "", ...names] = withoutArguments(q).split("::");
  const address = parseAddress(account.trim());
  return address === undefined || names.length === 0 ? undefined : [address, ...names].join("::");
}

function fullNameOf({ kind, address, module, name }: SearchHit): string {
  return [address, module, ...(kind === "module" ? [] : [name])].join("::");
}

/** The one thing that has just the name, or of several the one spelt so behind `::`; undefined where several do, or none. */
function onlyHit(hits: readonly SearchHit[], words: readonly string[], q: string): SearchHit | undefined {
  const typed = words.join(" ");
  const isExact = ({ module, name }: SearchHit) => [runsOf(name), runsOf(`${module} ${name}`)].some((runs) => runs.join(" ") === typed);
  const exact = hits.filter((hit) => hit.firstVersion !== null && isExact(hit));
  const spelt = exact.filter(({ name }) => q.endsWith(`::${name}`));
  const [only, other] = spelt.length > 0 ? spelt : exact;
  return other === undefined ? only : undefined;
}

/** The page of an account that is written out, or of the one abort. */
function pastedPage(pasted: readonly Pasted[], q: string, links: Links): string | undefined {
  const account = pasted.find((one) => one.kind === "account" && one.address === parseAddress(q.trim()));
  const [abort, other] = pasted.filter((one) => one.kind === "abort");
  const page = other === undefined && abort?.module !== undefined ? abort : account;
  return page && foundPasted(page, links).href;
}

function foundUse(use: TypeUse, links: Links): Found {
  const href = links.item(use.module, use.name, { kind: "struct" });
  const shown = html`<a class="mono" href="${href}">${shortName(use.name)}</a>
<span class="dim">${shortName(formatModuleId(use.module), 80)}</span>`;
  return { kind: "type", name: use.name, href, shown, about: html`<p class="words">${capital(typeUseWords(use))}.</p>` };
}

/** `/suggest?q=…`: what a search finds first, as JSON for the search field. Links are relative to the service's root. */
export const suggestions: PageHandler = async ({ archive, links, query, isFromElsewhere }) => {
  const q = isFromElsewhere ? "" : (query("q") ?? "").slice(0, LETTERS);
  const options = { kinds: [], withGone: false, limit: SUGGESTED };
  const [pasted, { hits }] = await Promise.all([readPasted(archive.modules, q), searchQueries(archive.engine).search(q, options)]);
  const held = hits.filter(({ firstVersion }) => firstVersion !== null);
  const found = [...pasted.map((one) => foundPasted(one, links)), ...held.map((hit) => foundHit(hit, links))];
  const suggested = found.slice(0, SUGGESTED).map(({ kind, name, href }) => ({ kind, name: printable(name, 120), href }));
  return { contentType: "application/json; charset=utf-8", body: Buffer.from(JSON.stringify(suggested)) };
};
