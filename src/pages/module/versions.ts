import type { ModuleChange } from "../../archive/read/changes.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { choice, count, folded, hidden, madeAt, type Times, versionText } from "../html/texts.ts";

export function changeTo(span: StoredModule, changes: readonly ModuleChange[]): ModuleChange | undefined {
  return changes.find(
    ({ to, afterVersion, atOrBeforeVersion }) => to === span.sha256 && afterVersion < span.from && atOrBeforeVersion <= span.from,
  );
}

/** A module's versions, the oldest first, of which a page shows the current one. */
export type ModuleVersions = {
  readonly history: readonly StoredModule[];
  readonly changes: readonly ModuleChange[];
  readonly current: StoredModule;
  readonly links: Links;
  readonly times: Times;
};

/** Where the shown version of a module stands among those held: the one before and the one after, and a comparison with any other. */
export function versionLine({ history, current, links, times }: ModuleVersions, all: string | undefined): Html {
  const place = history.findIndex((span) => span.from === current.from);
  const step = (span: StoredModule | undefined, name: string, rel: string): Html =>
    span === undefined
      ? html`<span class="button off" aria-disabled="true">${name}</span>`
      : html`<a class="button" rel="${rel}" href="${links.module(span, { at: span.from, all })}">${name}</a>`;
  const others = history.filter((span) => span !== history[place]).map((span) => [`${span.from}`, versionText(span.from, times)] as const);
  const form = html`<form action="${links.diff(current)}">${hidden("to", current.from)}
<label>What changed since ${choice("from", others.toReversed(), `${history[place - 1]?.from}`)}</label> <button>Compare</button></form>`;
  return html`<nav class="versions" aria-label="Versions held">${step(history[place - 1], "← Older", "prev")}
<span class="dim small">version ${place + 1} of ${history.length}</span>${step(history[place + 1], "Newer →", "next")}
${others.length === 0 ? "" : form}</nav>`;
}

/** Versions of a module that are listed before the rest is folded. */
const LISTED = 12;

/** The versions of a module, newest first: each a link to the module as it was, and to what changed. */
export function moduleTimeline({ history, changes, current, links, times }: ModuleVersions): Html {
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
    const version = isCurrent ? html`<b>${name}</b>` : html`<a href="${links.module(span, { at: span.from })}">${name}</a>`;
    const about = html`<span class="small"><span class="dim">${what}</span>${exact}${made}${compare}</span>`;
    return html`<li${isCurrent ? html` class="now"` : ""}>${version} ${about}</li>`;
  };
  return timelineOf(newestFirst.map(item), LISTED);
}

/** A timeline, of which the first entries show and the earlier ones unfold. */
export function timelineOf(items: readonly Html[], shown: number): Html {
  return folded(items, shown, (some) => html`<ol class="timeline">${some}</ol>`, "earlier");
}
