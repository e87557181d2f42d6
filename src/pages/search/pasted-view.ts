import type { Pasted } from "../../questions/search/pasted.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, madeAt, moduleLink, text } from "../html/texts.ts";

/** What a text names by itself, as an item of the results. */
export function pastedItem(pasted: Pasted, links: Links): Html {
  switch (pasted.kind) {
    case "account":
      return html`<li><p><span class="kind">account</span> <a class="mono" href="${links.account(pasted.address)}">${pasted.address}</a>${pasted.label === undefined ? "" : html` <span class="dim">${text(pasted.label, 100)}</span>`}</p></li>`;
    case "module":
      return html`<li><p><span class="kind">module</span> ${moduleLink(links, pasted.module, { at: pasted.module.from })} <span class="dim small">as first seen at ${count(pasted.module.from)}</span></p><code>${pasted.module.sha256}</code></li>`;
    case "snapshot":
      return html`<li><p><span class="kind">snapshot</span> <a href="${links.changes({ night: pasted.version })}"><span class="num">${count(pasted.version)}</span></a>${madeAt(pasted)} <span class="dim small">${pasted.isExact ? "a snapshot" : "the snapshot before it"}: what it showed</span></p></li>`;
    case "abort":
      return abortItem(pasted, links);
  }
}

function abortItem({ code, parts, module, error }: Extract<Pasted, { kind: "abort" }>, links: Links): Html {
  const { category, reason } = parts;
  const composed =
    category === undefined ? "" : html` <span class="dim">${category.name}: ${category.meaning}; reason ${reason} of the module</span>`;
  const of =
    module === undefined
      ? html`<code>Name the module too, as 0x1::coin ${code}: the reason is its own.</code>`
      : error === undefined
        ? html`<code>${text(module.name, 100)} has no words for it.</code>`
        : html`<code>${text(error.name, 200)}: ${text(error.description, 500)}</code>`;
  const where = module === undefined ? "" : html` in ${moduleLink(links, module)}`;
  return html`<li><p><span class="kind">abort</span> <span class="num">${code}</span> <span class="num dim">0x${code.toString(16)}</span>${where}${composed}</p>${of}</li>`;
}
