import type { ModuleChange } from "../../archive/read/changes.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { parseU64 } from "../../base/u64.ts";
import { choice, hidden } from "../html/forms.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, folded, madeAt, type Times, versionText } from "../html/texts.ts";

/** What a version of a module is to the one before it. */
type VersionKind = "first" | "interface" | "code" | "same";

const words: Readonly<Record<VersionKind, string>> = {
  first: "first seen",
  interface: "interface changed",
  code: "code only",
  same: "back after it was gone",
};

/** How a version of a module differs from the one before it; `change` where the archive has one that leads to it. */
function kindOf(span: StoredModule, before: StoredModule | undefined, change: ModuleChange | undefined): VersionKind {
  if (before === undefined) return "first";
  if (span.sha256 === before.sha256) return "same";
  return change?.abiChanged === false ? "code" : "interface";
}

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

/**
 * A module's versions as a line, the oldest at the left: each a link to the module as it was, with the one before and the one
 * after as buttons, and a form that shows the differences from any other one in this page. With a script it is a slider too.
 */
export function versionLine(
  { history, changes, current, links, times }: ModuleVersions,
  { all, from }: { readonly all: string | undefined; readonly from: string | undefined },
): Html {
  const place = history.findIndex((span) => span.from === current.from);
  const at = (span: StoredModule): string => links.module(span, { at: span.from, all });
  const step = (span: StoredModule | undefined, name: string, rel: string): Html =>
    span === undefined
      ? html`<span class="button off" aria-disabled="true">${name}</span>`
      : html`<a class="button" rel="${rel}" href="${at(span)}">${name}</a>`;
  const dot = (span: StoredModule, i: number): Html => {
    const kind = kindOf(span, history[i - 1], changeTo(span, changes));
    const title = `${versionText(span.from, times)}, ${words[kind]}`;
    const inside = html`<span class="sr">${title}</span>`;
    const current = i === place ? html` aria-current="true"` : "";
    return html`<li class="${kind}"><a href="${at(span)}" title="${title}"${current}>${inside}</a></li>`;
  };
  const chosen = (from === undefined ? undefined : standingAt(history, from)) ?? history[place - 1] ?? history[place + 1];
  const others = history.filter((span) => span !== history[place]).map((span) => [`${span.from}`, versionText(span.from, times)] as const);
  const first = history[0]?.from ?? 0n;
  const form = html`<form action="${links.module(current)}">${hidden("at", current.from)}${hidden("all", all)}
<label>What changed since ${choice("from", others.toReversed(), `${chosen?.from}`)}</label> <button>Show here</button>
<span class="small dim"><span class="mark full"></span> interface changed <span class="mark"></span> code only</span></form>`;
  return html`<nav class="versions" aria-label="Versions held"><div class="ends">${step(history[place - 1], "← Older", "prev")}
<span class="dim small">version ${place + 1} of ${history.length},
the first at <span class="num">${count(first)}</span>${madeAt(times.get(first))}</span>
${step(history[place + 1], "Newer →", "next")}</div>
<ol class="dots" data-slide="Version of the module">${history.map(dot)}</ol>
${others.length === 0 ? "" : form}</nav>`;
}

/** The version that stood at a snapshot as it is named in an address; none where that is a word. */
function standingAt(history: readonly StoredModule[], snapshot: string): StoredModule | undefined {
  const version = parseU64(snapshot);
  return version === undefined ? undefined : history.findLast(({ from }) => from <= version);
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
