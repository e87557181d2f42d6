import { plural } from "../../base/plural.ts";
import { type ItemChange, type ItemKind, readItemHistory } from "../../questions/item/item-history.ts";
import { Html, html } from "../html/html.ts";
import { count, madeAt, severityLabel, text } from "../html/texts.ts";
import { changeTo } from "../module/version-line.ts";
import type { PageCall } from "../page.ts";
import type { ShownItem } from "./item-source.ts";

const words: Readonly<Record<ItemChange["kind"], string>> = {
  first: "first seen",
  added: "added",
  declaration: "declaration changed",
  code: "instructions changed",
  removed: "removed",
};

/** Changes that are listed before the rest is folded. */
const LISTED = 8;

/** When an item came and what changed in it, newest first, each with a link to it as it was and to the comparison. */
export async function historyView({ archive, links }: PageCall, { id, name, shown }: ShownItem, kind: ItemKind): Promise<Html> {
  const spans = await archive.modules.historyOf(id);
  const changes = await archive.store.changesOf({ address: id.address, module: id.name }, 500);
  const history = await readItemHistory(archive.modules, spans, kind, name);
  const entry = (change: ItemChange): Html => {
    const { span, findings, layout } = change;
    const before = spans.findLast(({ from }) => from < span.from);
    const made = changeTo(span, changes);
    const number = html`<span class="num">${count(span.from)}</span>`;
    const isNow = span.from <= shown.version && history.changes.find((other) => other.span.from <= shown.version) === change;
    return html`<li${isNow ? html` class="now"` : ""}>${change.kind === "removed" ? number : html`<a href="${links.item(id, name, { at: span.from })}">${number}</a>`} <span class="small"><span class="dim">${words[change.kind]}</span>${made === undefined ? "" : madeAt(made)}${change.worst === undefined ? "" : html` ${severityLabel(change.worst)}`}${before === undefined ? "" : html` · <a href="${links.diff(id, { from: before.from, to: span.from })}">compare</a>`}</span>${findings.map(
      ({ rule, before: was, after: is }) =>
        html`<p class="small"><code>${rule}</code>${was === null ? "" : html` <span class="was">− ${text(was, 300)}</span>`}${is === null ? "" : html` <span class="is">+ ${text(is, 300)}</span>`}</p>`,
    )}${layout === "" ? "" : html`<details><summary>as it was from here on</summary><pre class="small scroll">${Html.preserved(layout.slice(0, 4000))}</pre></details>`}</li>`;
  };
  const items = history.changes.map(entry);
  const rest = items.slice(LISTED);
  return html`<h2>Its own history <span class="dim">${plural(spans.length, "version")} of the module</span></h2><ol class="timeline">${items.slice(0, LISTED)}</ol>${rest.length === 0 ? "" : html`<details><summary>${rest.length} earlier</summary><ol class="timeline">${rest}</ol></details>`}${history.isCut ? html`<p class="small dim">Older versions of the module were not looked at.</p>` : ""}${history.unreadable === 0 ? "" : html`<p class="small dim">${plural(history.unreadable, "version")} of the module cannot be read.</p>`}`;
}
