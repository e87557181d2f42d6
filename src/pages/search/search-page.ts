import { type SearchHit, type SearchKind, searchKinds } from "../../archive/search/hits.ts";
import { searchQueries } from "../../archive/search/search.ts";
import { nearestNames } from "../../base/similar-names.ts";
import { ConfigError } from "../../errors.ts";
import type { ModuleId } from "../../move/module-id.ts";
import { type Pasted, readPasted } from "../../questions/search/pasted.ts";
import { parseSubject, type Subject } from "../../questions/subject.ts";
import { checkbox, choice } from "../html/forms.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, madeAt, moduleLink, nothing, shortAddress, shortName, text } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { readChoice } from "../subject.ts";
import { hitLink } from "./suggestions.ts";

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
  const [{ named, direct }, { hits: all, hasMore, isCut }] = await Promise.all([
    q === "" ? { named: undefined, direct: [] } : directHits(archive, q, links),
    searchQueries(archive.engine).search(q, options),
  ]);
  const hits = all.filter(({ kind, address, module }) => kind !== "module" || address !== named?.address || module !== named.name);
  const found = direct.length + hits.length > 0;
  const body = html`<h1>${q === "" ? "Search" : html`Results for “${q}”`}</h1>
${filters(call, q, kind)}
${direct.length === 0 ? "" : html`<ul class="hits">${direct}</ul>`}
${hits.length === 0 ? "" : html`<ol class="hits">${hits.map((hit) => hitItem(hit, links))}</ol>`}
${hasMore || isCut ? html`<p class="dim">There is more; another word narrows it.</p>` : ""}
${found || q === "" ? "" : await nothingFound(archive, q, links)}`;
  return { title: q === "" ? "Search" : `Search: ${shortName(q)}`, search: q, body };
};

function filters({ links, query }: PageCall, q: string, kind: SearchKind | undefined): Html {
  const kinds = choice("kind", [["", "all"], ...searchKinds.map((one) => [one, one] as const)], kind);
  return html`<form class="filters" action="${links.search()}"><label>Words<input name="q" value="${q}" maxlength="300"></label>
<label>Kind${kinds}</label>
${checkbox("gone", "include what was removed", query("gone") !== undefined)}<button class="primary">Search</button></form>`;
}

/** A module that is named in full, with one of its items; and what the text names by itself. `named` is the module without an item. */
async function directHits(archive: PageArchive, q: string, links: Links): Promise<{ named: ModuleId | undefined; direct: Html[] }> {
  const { modules } = archive;
  const pasted = (await readPasted(archive.modules, q)).map((one) => pastedItem(one, links));
  const { address, module: name, item } = subjectOf(q) ?? {};
  if (address === undefined || name === undefined || (await modules.historyOf({ address, name })).length === 0)
    return { named: undefined, direct: pasted };
  const id = { address, name };
  const shown = item === undefined ? "" : html` <a class="mono" href="${links.item(id, item)}">${text(item, 80)}</a>`;
  const direct = [resultItem("module", html`${moduleLink(links, id)}${shown}`), ...pasted];
  return { named: item === undefined ? id : undefined, direct };
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

async function nothingFound({ modules }: PageArchive, q: string, links: Links): Promise<Html> {
  const known = await modules.knownModules();
  const near = nearestNames(q, [...new Set(known.map(({ name }) => name))]);
  const meant = near.map((name, i) => html`${i === 0 ? "" : ", "}<a href="${links.search({ q: name })}">${name}</a>`);
  return nothing(html`Nothing that is held has these words.${near.length === 0 ? "" : html` Did you mean ${meant}?`}`);
}

/** What a text names by itself, as an item of the results. */
function pastedItem(pasted: Pasted, links: Links): Html {
  switch (pasted.kind) {
    case "account": {
      const label = pasted.label === undefined ? "" : html` <span class="dim">${text(pasted.label, 100)}</span>`;
      return resultItem("account", html`<a class="mono" href="${links.account(pasted.address)}">${pasted.address}</a>${label}`);
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
      const href = links.changes({ night: pasted.version });
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
  const numbers = html`<span class="num">${code}</span> <span class="num dim">0x${code.toString(16)}</span>`;
  return resultItem("abort", html`${numbers}${where}${composed}`, meaning);
}

/** What modules mean by a code whose module is not known. */
function candidateList({ code, candidates }: PastedAbort, links: Links): Html {
  const of = (module: string) => links.search({ q: `${module} ${code}` });
  const items = candidates.map(({ address, name, error, description }) => {
    const link = html`<a class="mono" href="${of(`${address}::${name}`)}">${text(error, 100)}</a>`;
    const words = description === "" ? "" : `: ${text(description, 240)}`;
    return html`<p class="words">${moduleLink(links, { address, name })} ${link}${words}</p>`;
  });
  const example = html`<a href="${of("0x1::coin")}"><code>0x1::coin ${code}</code></a>`;
  const intro = items.length === 0 ? "" : " Some modules that have this reason:";
  return html`<p class="words">Each module numbers its reasons itself. Name the module too, as in ${example}.${intro}</p>${items}`;
}
