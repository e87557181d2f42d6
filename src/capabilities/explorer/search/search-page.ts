import type { ModuleAbi } from "../../../core/abi/model.ts";
import { type Html, html } from "../../../core/base/html.ts";
import { runsOf } from "../../../core/base/names.ts";
import { printable } from "../../../core/base/printable.ts";
import { ConfigError } from "../../../core/errors.ts";
import { parseAddress } from "../../../core/move/address.ts";
import { formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import type { Links } from "../../../core/questions/page-links.ts";
import { parseSubject, type Subject } from "../../../core/questions/subject.ts";
import { withoutArguments } from "../../search/by-type.ts";
import { searchText } from "../../search/fallback.ts";
import { type SearchHit, type SearchKind, searchKinds } from "../../search/hits.ts";
import { searchQueries } from "../../search/search.ts";
import { type TypeUse, typeUsesOf, typeUseWords } from "../../search/type-uses.ts";
import { capital, checkbox, choice, count, madeAt, moduleLink, nothing, prose, shortAddress, shortName, text } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { readChoice } from "../parameters.ts";
import { type Pasted, readPasted } from "./pasted.ts";

type PastedAbort = Extract<Pasted, { kind: "abort" }>;

const SHOWN = 60;

/** `/search?q=…`: what an address, a name or some words lead to. What is named exactly comes first. */
export const searchPage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const q = (query("q") ?? "").slice(0, 300);
  if (q !== "" && call.isFromElsewhere)
    return {
      title: "Search",
      search: q,
      isCached: false,
      body: html`<h1>Search</h1><p class="notice">A link led here. Look at the words, then search.</p>${filters(call, q, undefined)}`,
    };
  const kind = readChoice(query, "kind", searchKinds);
  const options = { kinds: kind === undefined ? [] : [kind], withGone: query("gone") !== undefined, limit: SHOWN };
  const [{ named, direct, page }, { words, result, note }] = await Promise.all([
    q === "" ? { named: undefined, direct: [], page: undefined } : directHits(archive, q, links),
    searchText(archive.engine, q, options),
  ]);
  const { hits: all, hasMore, isCut } = result;
  const location = query("go") === undefined ? undefined : (page ?? onlyHit(all, words, note, links));
  if (location !== undefined) return { title: "Search", search: q, location, body: html`<p><a href="${location}">What was found</a></p>` };
  const uses = kind === undefined ? await typeUsesOf(archive.modules, all, words) : [];
  const hits = all.filter(({ kind, address, module }) => kind !== "module" || address !== named?.address || module !== named.name);
  const found = direct.length + hits.length > 0;
  const body = html`<h1>${q === "" ? "Search" : html`Results for “${q}”`}</h1>
${filters(call, q, kind)}
${note === undefined ? "" : html`<p class="notice">${prose(capital(note))}</p>`}
${direct.length + uses.length === 0 ? "" : html`<ul class="hits">${direct}${uses.map((use) => typeUseItem(use, links))}</ul>`}
${hits.length === 0 ? "" : html`<ol class="hits">${hits.map((hit) => hitItem(hit, links))}</ol>`}
${hasMore || isCut ? html`<p class="dim">There is more; another word narrows it.</p>` : ""}
${found || q === "" ? "" : nothing("Nothing that is held has these words.")}`;
  return { title: q === "" ? "Search" : `Search: ${shortName(q)}`, search: q, body };
};

function filters({ links, query }: PageCall, q: string, kind: SearchKind | undefined): Html {
  const kinds = choice("kind", [["", "all"], ...searchKinds.map((one) => [one, one] as const)], kind);
  return html`<form class="filters" action="${links.search()}"><label>Words<input name="q" value="${q}" maxlength="300"></label>
<label>Kind${kinds}</label>
${checkbox("gone", "include what was removed", query("gone") !== undefined)}<button class="primary">Search</button></form>`;
}

/** The page of the one thing that has just the name; undefined where several have it, or none. */
function onlyHit(hits: readonly SearchHit[], words: readonly string[], note: string | undefined, links: Links): string | undefined {
  const typed = words.join(" ");
  const exact = hits.filter(({ module, name }) => [runsOf(name), runsOf(`${module} ${name}`)].some((runs) => runs.join(" ") === typed));
  const [only, other] = exact.filter(({ firstVersion }) => firstVersion !== null);
  return note !== undefined || only === undefined || other !== undefined ? undefined : hitLink(only, links);
}

function typeUseItem(use: TypeUse, links: Links): Html {
  const link = html`<a class="mono" href="${links.item(use.module, use.name, { kind: "struct" })}">${shortName(use.name)}</a>`;
  return resultItem(
    "type",
    html`${link} <span class="dim">${shortName(formatModuleId(use.module), 80)}</span>`,
    html`<p class="words">${capital(typeUseWords(use))}.</p>`,
  );
}

type DirectHits = {
  /** The module that is named without an item. */
  readonly named: ModuleId | undefined;
  readonly direct: Html[];
  /** The page of what is named in full. */
  readonly page: string | undefined;
};

/** A module that is named in full, with one of its items; and what the text names by itself. */
async function directHits(archive: PageArchive, q: string, links: Links): Promise<DirectHits> {
  const { modules } = archive;
  const found = await readPasted(archive.modules, q);
  const pasted = found.map((one) => pastedItem(one, links));
  const aborts = found.filter((one) => one.kind === "abort");
  const [abort] = aborts;
  const account = found.find((one) => one.kind === "account" && one.address === parseAddress(q.trim()));
  const pageOfPasted =
    aborts.length === 1 && abort?.module !== undefined
      ? links.error(abort.module, abort.code)
      : account?.kind === "account"
        ? links.account(account.address)
        : undefined;
  const { address, module: name, item } = subjectOf(withoutArguments(q)) ?? {};
  const history = address === undefined || name === undefined ? [] : await modules.historyOf({ address, name });
  if (address === undefined || name === undefined || history.length === 0) return { named: undefined, direct: pasted, page: pageOfPasted };
  const id = { address, name };
  const newest = history.at(-1);
  const content = item === undefined || newest === undefined ? undefined : await modules.content(newest);
  if (item !== undefined && (content?.kind !== "decoded" || !namesItem(content.module.abi, item)))
    return { named: undefined, direct: pasted, page: pageOfPasted };
  const at = newest?.to ?? undefined;
  const page = item === undefined ? links.module(id, { at }) : links.item(id, item, { at });
  const shown = item === undefined ? "" : html` <a class="mono" href="${links.item(id, item)}">${text(item, 80)}</a>`;
  const direct = [resultItem("module", html`${moduleLink(links, id)}${shown}`), ...pasted];
  return { named: item === undefined ? id : undefined, direct, page };
}

function namesItem({ functions, structs }: ModuleAbi, item: string): boolean {
  return [...functions, ...structs].some(({ name }) => name === item);
}

function subjectOf(q: string): Subject | undefined {
  try {
    return parseSubject(q);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

function hitItem(hit: SearchHit, links: Links): Html {
  const { kind, address, module, name, code, text: words, firstVersion, lastVersion } = hit;
  const gone = lastVersion === null ? "" : html` <span class="tag">gone after ${count(lastVersion)}</span>`;
  // An error has a sentence, all else has code.
  const about =
    words === "" ? "" : kind === "error" ? html`<p class="words">${text(words, 240)}</p>` : html`<code>${text(words, 240)}</code>`;
  const id = `${address}::${module}`;
  const before = `${shortAddress(address)}::${kind === "module" ? "" : `${shortName(module, 30)}::`}`;
  const path = html`<span class="dim">${before}</span><wbr>${shortName(name)}`;
  const number = code === null ? "" : html` <span class="dim small">code ${code}</span>`;
  const found =
    firstVersion === null
      ? html`<span class="mono" title="${id}">${path}</span> <span class="tag">imported as a file; no snapshot shows it</span>`
      : html`<a class="mono" href="${hitLink(hit, links)}" title="${id}">${path}</a>${number}${gone}`;
  return resultItem(kind, found, about);
}

/** What a text names by itself, as an item of the results. */
function pastedItem(pasted: Pasted, links: Links): Html {
  const href = pastedLink(pasted, links);
  switch (pasted.kind) {
    case "account": {
      const label = pasted.label === undefined ? "" : html` <span class="dim">${text(pasted.label, 100)}</span>`;
      return resultItem("account", html`<a class="mono" href="${href}">${pasted.address}</a>${label}`);
    }
    case "module": {
      const { from, sha256 } = pasted.module;
      const link = moduleLink(links, pasted.module, { at: from });
      return resultItem(
        "module",
        html`${link} <span class="dim small">as first seen at ${count(from)}</span>`,
        html`<code>${sha256}</code>`,
      );
    }
    case "snapshot": {
      const what = html`<span class="dim small">${pasted.isExact ? "a snapshot" : "the snapshot before it"}: what it showed</span>`;
      return resultItem("snapshot", html`<a href="${href}"><span class="num">${count(pasted.version)}</span></a>${madeAt(pasted)} ${what}`);
    }
    case "abort":
      return abortItem(pasted, links);
  }
}

/** A result: what kind of thing it is, its name, and what is said of it below. */
function resultItem(kind: string, name: Html, about: Html | "" = ""): Html {
  return html`<li><p><span class="kind">${kind}</span> ${name}</p>${about}</li>`;
}

function abortItem(pasted: PastedAbort, links: Links): Html {
  const { code, parts, module, error } = pasted;
  const composed =
    parts.category === undefined
      ? ""
      : html` <span class="dim">${parts.category.name}: ${parts.category.meaning}; reason ${parts.reason} of the module</span>`;
  const where = module === undefined ? "" : html` in ${moduleLink(links, module)}`;
  const words = (name: string): string =>
    error === undefined ? `${text(name, 100)} has no words for it.` : `${text(error.name, 200)}: ${text(error.description, 500)}`;
  const meaning = module === undefined ? candidateList(pasted, links) : html`<p class="words">${words(module.name)}</p>`;
  const both = html`<span class="num">${code}</span> <span class="num dim">0x${code.toString(16)}</span>`;
  const numbers = module === undefined ? both : html`<a href="${links.error(module, code)}">${both}</a>`;
  return resultItem("abort", html`${numbers}${where}${composed}`, meaning);
}

/** What modules mean by a code whose module is not known. */
function candidateList({ code, candidates }: PastedAbort, links: Links): Html {
  const items = candidates.map(({ address, name, error, description }) => {
    const link = html`<a class="mono" href="${links.error({ address, name }, code)}">${text(error, 100)}</a>`;
    const words = description === "" ? "" : `: ${text(description, 240)}`;
    return html`<p class="words">${moduleLink(links, { address, name })} ${link}${words}</p>`;
  });
  const example = html`<code>0x1::coin ${code}</code>`;
  const intro = items.length === 0 ? "" : " Some modules that have this reason:";
  return html`<p class="words">Each module numbers its reasons itself. Name the module too, as in ${example}.${intro}</p>${items}`;
}

const SUGGESTED = 8;

type Suggestion = { readonly kind: string; readonly name: string; readonly href: string };

/** `/suggest?q=…`: what a search finds first, as JSON for the search field. Links are relative to the service's root. */
export const suggestions: PageHandler = async ({ archive, links, query, isFromElsewhere }) => {
  const q = (query("q") ?? "").slice(0, 300);
  const found: Suggestion[] = [];
  if (q !== "" && !isFromElsewhere) {
    const search = searchQueries(archive.engine).search(q, { kinds: [], withGone: false, limit: SUGGESTED });
    const [named, { hits }] = await Promise.all([readPasted(archive.modules, q), search]);
    for (const one of named) found.push({ kind: one.kind, name: printable(pastedName(one), 120), href: pastedLink(one, links) });
    for (const hit of hits) {
      if (hit.firstVersion === null) continue;
      const path = hit.kind === "module" ? [hit.module] : [hit.module, hit.name];
      found.push({ kind: hit.kind, name: printable([shortAddress(hit.address), ...path].join("::"), 120), href: hitLink(hit, links) });
    }
  }
  return { contentType: "application/json; charset=utf-8", body: Buffer.from(JSON.stringify(found.slice(0, SUGGESTED))) };
};

/** Where what a text names is shown; a code whose module is not known is searched for. */
function pastedLink(pasted: Pasted, links: Links): string {
  if (pasted.kind === "account") return links.account(pasted.address);
  if (pasted.kind === "module") return links.module(pasted.module, { at: pasted.module.from });
  if (pasted.kind === "snapshot") return links.changes({ night: pasted.version });
  return pasted.module === undefined ? links.search({ q: pasted.code.toString() }) : links.error(pasted.module, pasted.code);
}

function pastedName(pasted: Pasted): string {
  if (pasted.kind === "account") return pasted.label ?? shortAddress(pasted.address);
  if (pasted.kind === "module")
    return `${shortAddress(pasted.module.address)}::${pasted.module.name} ${pasted.module.sha256.slice(0, 12)}…`;
  if (pasted.kind === "snapshot") return count(pasted.version);
  return `${pasted.code} ${pasted.error?.name ?? pasted.parts.category?.name ?? ""}`;
}

/** Where what was found is shown: a function or struct by itself, an error by itself; what is gone at the version that had it last. */
function hitLink({ kind, address, module, name, code, lastVersion }: SearchHit, links: Links): string {
  const id = { address, name: module };
  const at = lastVersion === null ? {} : { at: lastVersion };
  if (kind === "function" || kind === "struct") return links.item(id, name, { ...at, ...(kind === "struct" ? { kind } : {}) });
  return kind === "error" && code !== null ? links.error(id, code, at) : links.module(id, at);
}
