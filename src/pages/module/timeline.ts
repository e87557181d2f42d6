import type { ModuleChange } from "../../archive/read/changes.ts";
import type { StoredModule } from "../../archive/read/module-archive.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, folded, madeAt, type Times } from "../html/texts.ts";
import { changeTo } from "./version-line.ts";

/** Versions of a module that are listed before the rest is folded. */
const LISTED = 12;

/** The versions of a module, newest first: each a link to the module as it was, and to what changed. */
export function moduleTimeline(
  history: readonly StoredModule[],
  changes: readonly ModuleChange[],
  current: StoredModule,
  links: Links,
  times: Times,
): Html {
  const newestFirst = history.toReversed();
  const item = (span: StoredModule, i: number): Html => {
    const before = newestFirst[i + 1];
    const change = changeTo(span, changes);
    const isCurrent = span.from === current.from;
    const name = html`<span class="num">${count(span.from)}</span>`;
    const what =
      change === undefined ? "first seen" : change.from === null ? "added" : change.abiChanged === false ? "code only" : "interface";
    const exact = change?.isExact === true ? html` <span class="dim small">exactly at ${count(change.atOrBeforeVersion)}</span>` : "";
    const made = madeAt(change ?? times.get(span.from));
    const compare =
      before === undefined || span.sha256 === before.sha256
        ? ""
        : html` · <a href="${links.diff(span, { from: before.from, to: span.from })}">compare</a>`;
    return html`<li${isCurrent ? html` class="now"` : ""}>${isCurrent ? html`<b>${name}</b>` : html`<a href="${links.module(span, { at: span.from })}">${name}</a>`} <span class="small"><span class="dim">${what}</span>${exact}${made}${compare}</span></li>`;
  };
  return timelineOf(newestFirst.map(item), LISTED);
}

/** A timeline, of which the first entries show and the earlier ones unfold. */
export function timelineOf(items: readonly Html[], shown: number): Html {
  return folded(items, shown, (some) => html`<ol class="timeline">${some}</ol>`, "earlier");
}
