import type { SearchHit } from "../../archive/search/hits.ts";
import { searchQueries } from "../../archive/search/search.ts";
import { printable } from "../../base/printable.ts";
import { type Pasted, readPasted } from "../../questions/search/pasted.ts";
import type { Links } from "../html/links.ts";
import { count, shortAddress } from "../html/texts.ts";
import type { PageHandler } from "../page.ts";

const SHOWN = 8;

type Suggestion = { readonly kind: string; readonly name: string; readonly href: string };

/** `/suggest?q=…`: what a search finds first, as JSON for the search field. Links are relative to the service's root. */
export const suggestions: PageHandler = async ({ archive, links, query, isFromElsewhere }) => {
  const q = (query("q") ?? "").slice(0, 300);
  const found: Suggestion[] = [];
  if (q !== "" && !isFromElsewhere) {
    const search = searchQueries(archive.engine).search(q, { kinds: [], withGone: false, limit: SHOWN });
    const [named, { hits }] = await Promise.all([readPasted(archive.modules, q), search]);
    for (const pasted of named) found.push(...suggestionOf(pasted, links));
    for (const hit of hits) {
      if (hit.firstVersion === null) continue;
      const path = hit.kind === "module" ? [hit.module] : [hit.module, hit.name];
      found.push({ kind: hit.kind, name: printable([shortAddress(hit.address), ...path].join("::"), 120), href: hitLink(hit, links) });
    }
  }
  return { contentType: "application/json; charset=utf-8", body: Buffer.from(JSON.stringify(found.slice(0, SHOWN))) };
};

function suggestionOf(pasted: Pasted, links: Links): Suggestion[] {
  switch (pasted.kind) {
    case "account":
      return [{ kind: "account", name: printable(pasted.label ?? shortAddress(pasted.address), 100), href: links.account(pasted.address) }];
    case "module": {
      const { module } = pasted;
      const name = printable(`${shortAddress(module.address)}::${module.name} ${module.sha256.slice(0, 12)}…`, 120);
      return [{ kind: "module", name, href: links.module(module, { at: module.from }) }];
    }
    case "snapshot":
      return [{ kind: "snapshot", name: count(pasted.version), href: links.changes({ night: pasted.version }) }];
    case "abort":
      return abortSuggestions(pasted, links);
  }
}

/** The error that a module means by a code; without a module those of the modules that have one of that code. */
function abortSuggestions({ code, parts, module, error, candidates }: Extract<Pasted, { kind: "abort" }>, links: Links): Suggestion[] {
  const kind = "abort";
  const name = printable(`${code} ${error?.name ?? parts.category?.name ?? ""}`, 120);
  if (module !== undefined) return [{ kind, name, href: links.error(module, code) }];
  const meant = candidates.map(({ error, ...of }) => ({
    kind,
    name: printable(`${code} ${shortAddress(of.address)}::${of.name}::${error}`, 120),
    href: links.error(of, code),
  }));
  return [{ kind, name, href: links.search({ q: code.toString() }) }, ...meant];
}

/** Where what was found is shown: a function or struct by itself, an error by itself; what is gone at the version that had it last. */
export function hitLink({ kind, address, module, name, code, lastVersion }: SearchHit, links: Links): string {
  const id = { address, name: module };
  const at = lastVersion === null ? {} : { at: lastVersion };
  if (kind === "function" || kind === "struct") return links.item(id, name, { ...at, ...(kind === "struct" ? { kind } : {}) });
  return kind === "error" && code !== null ? links.error(id, code, at) : links.module(id, at);
}
