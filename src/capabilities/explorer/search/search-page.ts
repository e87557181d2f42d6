import { runsOf } from "../../../core/base/names.ts";
import { printable } from "../../../core/base/printable.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../../core/errors.ts";
import { parseAddress } from "../../../core/move/address.ts";
import { formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import { parseSubject, type Subject } from "../../../core/questions/subject.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { parseFailureMessage } from "../../explain/abort-message.ts";
import { readPasted } from "../../explain/pasted.ts";
import { checkbox, choice, nothing } from "../../pages/html/elements.ts";
import { capital, moduleLink, prose, shortName } from "../../pages/html/texts.ts";
import { type PageCall, type PageHandler, readChoice } from "../../pages/page.ts";
import { withoutArguments } from "../../search/by-type.ts";
import { type SearchHit, type SearchKind, searchKinds } from "../../search/hits.ts";
import { type TypeUse, typeUsesOf, typeUseWords } from "../../search/item-uses.ts";
import { type SearchResult, searchQueries, searchText } from "../../search/search.ts";
import { type Found, foundHit, foundItem, foundPasted } from "./found.ts";

/** Results of a page, suggestions, and characters of a text that are looked for. */
const [SHOWN, SUGGESTED, LETTERS] = [60, 8, 2000];
const NOTHING: SearchResult = { hits: [], hasMore: false, isCut: false };

/** `/search?q=…`: what an address, a name or some words lead to. What is named exactly comes first. */
export const searchPage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const q = (query("q") ?? "").slice(0, LETTERS);
  if (q !== "" && call.isFromElsewhere) {
    const body = html`<h1>Search</h1><p class="notice">A link led here. Look at the words, then search.</p>${filters(call, q, undefined)}`;
    return { title: "Search", search: q, isCached: false, body };
  }
  const kind = readChoice(query, "kind", searchKinds);
  const options = { kinds: kind === undefined ? [] : [kind], withGone: query("gone") !== undefined, limit: SHOWN };
  const [{ named, direct, page }, found] = await Promise.all([
    directHits(archive.modules, q, links),
    searchText(archive.engine, q, options),
  ]);
  // What names something by itself was no slip of the keyboard.
  const { words, result, note } = found.note !== undefined && direct.length > 0 ? { ...found, result: NOTHING, note: undefined } : found;
  const only = direct.length === 1 && !direct[0]?.isNear && result.hits.length === 0 ? direct[0]?.href : undefined;
  const opened = page ?? (note === undefined ? (onlyHit(result.hits, words, q.trim(), links) ?? only) : undefined);
  const location = query("go") === undefined ? undefined : opened;
  if (location !== undefined) return { title: "Search", search: q, location, body: html`<p><a href="${location}">What was found</a></p>` };
  const uses = kind === undefined ? await typeUsesOf(archive.modules, result.hits, words) : [];
  const hits = result.hits.filter(({ kind, address, module }) => kind !== "module" || address !== named?.address || module !== named.name);
  const above = [...direct, ...uses.map((use) => foundUse(use, links))].map(foundItem);
  const none = parseAddress(q) ? "No snapshot has an answer about this account." : "Nothing that is held has these words.";
  const body = html`<h1>${q === "" ? "Search" : html`Results for “${shortName(q, 300)}”`}</h1>
${filters(call, q, kind)}
${note !== undefined && html`<p class="notice">${prose(capital(note))}</p>`}
${above.length > 0 && html`<ul class="hits">${above}</ul>`}
${hits.length > 0 && html`<ol class="hits">${hits.map((hit) => foundItem(foundHit(hit, links)))}</ol>`}
${(result.hasMore || result.isCut) && html`<p class="dim">There is more; another word narrows it.</p>`}
${direct.length + hits.length === 0 && q !== "" && nothing(none)}`;
  return { title: q === "" ? "Search" : `Search: ${shortName(q)}`, search: q, body };
};

function filters({ links, query }: PageCall, q: string, kind: SearchKind | undefined): Html {
  const kinds = choice("kind", [["", "all"], ...searchKinds.map((one) => [one, one] as const)], kind);
  return html`<form class="filters" action="${links.search()}"><label>Words<input name="q" value="${q}" maxlength="${LETTERS}"></label>
<label>Kind${kinds}</label>
${checkbox("gone", "include what was removed", query("gone") !== undefined)}<button class="primary">Search</button></form>`;
}

/** The page of the one thing that has just the name, or of several the one spelt so behind `::`; undefined where several do, or none. */
function onlyHit(hits: readonly SearchHit[], words: readonly string[], q: string, links: Links): string | undefined {
  const typed = words.join(" ");
  const isExact = ({ module, name }: SearchHit) => [runsOf(name), runsOf(`${module} ${name}`)].some((runs) => runs.join(" ") === typed);
  const exact = hits.filter((hit) => hit.firstVersion !== null && isExact(hit));
  const spelt = exact.filter(({ name }) => q.endsWith(`::${name}`));
  const [only, other] = spelt.length > 0 ? spelt : exact;
  return only === undefined || other !== undefined ? undefined : foundHit(only, links).href;
}

function foundUse(use: TypeUse, links: Links): Found {
  const href = links.item(use.module, use.name, { kind: "struct" });
  const shown = html`<a class="mono" href="${href}">${shortName(use.name)}</a>
<span class="dim">${shortName(formatModuleId(use.module), 80)}</span>`;
  return { kind: "type", name: use.name, href, shown, about: html`<p class="words">${capital(typeUseWords(use))}.</p>` };
}

/** What a text names, with the module among it, and the page of what it names in full. */
type DirectHits = { readonly direct: readonly Found[]; readonly named?: ModuleId | undefined; readonly page: string | undefined };

async function directHits(modules: ModuleArchive, q: string, links: Links): Promise<DirectHits> {
  const pasted = await readPasted(modules, q);
  const direct = pasted.map((one) => foundPasted(one, links));
  const [abort, other] = pasted.filter((one) => one.kind === "abort");
  const account = pasted.filter((one) => one.kind === "account").find(({ address }) => address === parseAddress(q.trim()));
  const module = await moduleNamed(modules, q, links);
  if (module !== undefined) return { direct: [module.found, ...direct], named: module.named, page: module.page };
  const isOneAbort = other === undefined && abort?.module !== undefined;
  return { direct, page: isOneAbort ? links.error(abort.module, abort.code) : account && links.account(account.address) };
}

/** The module that is named in full, alone (`named`) or with one of its items. */
async function moduleNamed(modules: ModuleArchive, q: string, links: Links) {
  const { address, module: name, item } = subjectOf(withoutArguments(q)) ?? stoppedIn(q) ?? {};
  const newest = address === undefined || name === undefined ? undefined : (await modules.historyOf({ address, name })).at(-1);
  if (newest === undefined) return undefined;
  const id = { address: newest.address, name: newest.name };
  const content = item === undefined ? undefined : await modules.content(newest);
  const items = content?.kind === "decoded" ? [...content.module.abi.functions, ...content.module.abi.structs] : [];
  if (item !== undefined && !items.some(({ name }) => name === item)) return undefined;
  const at = newest.to ?? undefined;
  const page = item === undefined ? links.module(id, { at }) : links.item(id, item, { at });
  const shown = html`${moduleLink(links, id)}${item && html` <a class="mono" href="${links.item(id, item)}">${printable(item, 80)}</a>`}`;
  return { named: item === undefined ? id : undefined, page, found: { kind: "module", name: id.name, href: page, shown } };
}

/** The function in which a message says that the VM stopped. */
function stoppedIn(q: string): Subject | undefined {
  const { module, place } = parseFailureMessage(q) ?? {};
  return module && { address: module.address, module: module.name, item: typeof place?.fn === "string" ? place.fn : undefined };
}

function subjectOf(q: string): Subject | undefined {
  try {
    return parseSubject(q);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
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
