import { grouped } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import type { Pasted } from "../../explain/pasted.ts";
import { madeAt, moduleLink, num, shortAddress, shortName } from "../../pages/html/texts.ts";
import type { SearchHit } from "../../search/hits.ts";

/** What a search leads to: its kind, its name in a suggestion, where it is shown; on the page, its name and what is said of it. */
export type Found = {
  readonly kind: string;
  readonly name: string;
  readonly href: string;
  readonly shown: Html;
  readonly about?: Html | undefined;
  /** Whether it only lies near what was meant. */
  readonly isNear?: boolean;
};

export function foundItem({ kind, shown, about }: Found): Html {
  return html`<li><span class="kind">${kind}</span> <div><p>${shown}</p>${about}</div></li>`;
}

/** A function, struct or error leads to its own page; what is gone to the version that had it last. */
export function foundHit(hit: SearchHit, links: Links): Found {
  const { kind, address, module, name, code, text: words, firstVersion, lastVersion } = hit;
  const id = { address, name: module };
  const at = { at: lastVersion ?? undefined };
  const href =
    kind === "function" || kind === "struct"
      ? links.item(id, name, { ...at, ...(kind === "struct" ? { kind } : {}) })
      : kind === "error" && code !== null
        ? links.error(id, code, at)
        : links.module(id, at);
  const path = kind === "module" ? [module] : [module, name];
  const before = `${shortAddress(address)}::${kind === "module" ? "" : `${shortName(module, 30)}::`}`;
  const shownName = html`<span class="dim">${before}</span><wbr>${shortName(name)}`;
  const title = `${address}::${module}`;
  const link = html`<a class="mono" href="${href}" title="${title}">${shownName}</a>
${code !== null && html`<span class="dim small">code ${code}</span>`}
${firstVersion !== null && html`<span class="dim small">since ${grouped(firstVersion)}</span>`}
${lastVersion !== null && html`<span class="tag">gone after ${grouped(lastVersion)}</span>`}`;
  const file = html`<span class="mono" title="${title}">${shownName}</span>
<span class="tag">imported as a file; no snapshot shows it</span>`;
  // An error has a sentence, all else has code.
  const said = kind === "error" ? html`<p class="words">${printable(words, 240)}</p>` : html`<code>${printable(words, 240)}</code>`;
  return {
    kind,
    name: [shortAddress(address), ...path].join("::"),
    href,
    shown: firstVersion === null ? file : link,
    about: words === "" ? undefined : said,
  };
}

/** What a text names by itself. A code whose module is not known is searched for. */
export function foundPasted(pasted: Pasted, links: Links): Found {
  const { kind } = pasted;
  if (kind === "abort") return foundAbort(pasted, links);
  if (kind === "account") {
    const { address, label } = pasted;
    const href = links.account(address);
    const labelled = label !== undefined && html` <span class="dim">${printable(label, 100)}</span>`;
    return { kind, name: label ?? shortAddress(address), href, shown: html`<a class="mono" href="${href}">${address}</a>${labelled}` };
  }
  if (kind === "module") {
    const { address, name, from, sha256 } = pasted.module;
    const shown = html`${moduleLink(links, pasted.module, { at: from })} <span class="dim small">as first seen at ${grouped(from)}</span>`;
    const digits = `${shortAddress(address)}::${name} ${sha256.slice(0, 12)}…`;
    return { kind, name: digits, href: links.module(pasted.module, { at: from }), shown, about: html`<code>${sha256}</code>` };
  }
  const { version, isExact } = pasted;
  const href = links.changes({ night: version });
  const what = html`<span class="dim small">${isExact ? "a snapshot" : "the snapshot before it"}: what it showed</span>`;
  return {
    kind,
    name: grouped(version),
    href,
    isNear: !isExact,
    shown: html`<a href="${href}">${num(version)}</a>${madeAt(pasted)} ${what}`,
  };
}

type PastedAbort = Extract<Pasted, { kind: "abort" }>;

function foundAbort({ kind, code, parts: { category, reason }, module, error, candidates }: PastedAbort, links: Links): Found {
  const name = `${code} ${error?.name ?? category?.name ?? ""}`;
  const parted = category && html` <span class="dim">${category.name}: ${category.meaning}; reason ${reason} of the module</span>`;
  const numbers = html`<span class="num">${code}</span> <span class="num dim">0x${code.toString(16)}</span>`;
  if (module === undefined) {
    const about = candidateList(code, candidates, links);
    return { kind, name, href: links.search({ q: `${code}` }), shown: html`${numbers}${parted}`, about };
  }
  const words =
    error === undefined
      ? `${printable(module.name, 100)} has no words for it.`
      : `${printable(error.name, 200)}: ${printable(error.description, 500)}`;
  const href = links.error(module, code);
  const shown = html`<a href="${href}">${numbers}</a> in ${moduleLink(links, module)}${parted}`;
  return { kind, name, href, shown, about: html`<p class="words">${words}</p>` };
}

/** What modules mean by a code whose module is not known. */
function candidateList(code: bigint, candidates: PastedAbort["candidates"], links: Links): Html {
  const items = candidates.map(({ address, name, error, description }) => {
    const link = html`<a class="mono" href="${links.error({ address, name }, code)}">${printable(error, 100)}</a>`;
    const words = description === "" ? "" : `: ${printable(description, 240)}`;
    return html`<p class="words">${moduleLink(links, { address, name })} ${link}${words}</p>`;
  });
  return html`<p class="words">Each module numbers its reasons itself. Name the module too, as in <code>0x1::coin ${code}</code>.
${items.length > 0 && "Some modules that have this reason:"}</p>${items}`;
}
