import type { ChangeSummary } from "../../abi/compare/change-summary.ts";
import type { ModuleChange } from "../../archive/read/changes.ts";
import type { Address } from "../../move/address.ts";
import type { BySeverity } from "../../questions/diff/count-severities.ts";
import { itemText, renameText } from "../../questions/diff/sentences.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { accountLink, count, madeAt, moduleLink, severityLabel, text } from "../html/texts.ts";
import type { ChangeSnapshots } from "./change-snapshots.ts";
import type { Entry, ShownChange } from "./entries.ts";

export function changeWord({ from, to, abiChanged }: ModuleChange): string {
  if (from === null) return "added";
  if (to === null) return "removed";
  return abiChanged === null ? "changed" : abiChanged ? "interface changed" : "code only";
}

/** Changes as a list, each with its worst finding and a link to the comparison; a release of many modules unfolds. */
export function changeList(entries: readonly Entry<ShownChange>[], night: bigint, links: Links): Html {
  return html`<ul class="changes">${entries.map((entry) => (entry.account === undefined ? entry.changes.map((each) => changeItem(each, links)) : releaseItem(entry, entry.account, night, links)))}</ul>`;
}

function releaseItem({ changes, total, bySeverity }: Entry<ShownChange>, account: Address, night: bigint, links: Links): Html {
  const [worst] = changes;
  const label = worst?.summary.worst === undefined ? html`<span class="tag unknown">unclear</span>` : severityLabel(worst.summary.worst);
  const rest = total - changes.length;
  const isWatched = changes.some(({ watched }) => watched !== undefined);
  return html`<li class="release">${label}<div><p>${accountLink(links, account)} <span class="dim">${count(total)} modules changed</span>${isWatched ? html` <span class="tag watched">alert</span>` : ""}</p><p class="small">${severityWords(bySeverity)}</p>
<details><summary>The modules, the worst first</summary><ul class="changes">${changes.map((each) => changeItem(each, links))}</ul>${rest === 0 ? "" : html`<p><a href="${links.changes({ night, account })}">and ${count(rest)} more</a></p>`}</details></div></li>`;
}

export function severityWords(bySeverity: BySeverity): Html {
  return html`${bySeverity.map(([level, n], i) => html`${i === 0 ? "" : ", "}${level === "breaking" ? html`<b class="refused">${count(n)} ${level}</b>` : `${count(n)} ${level}`}`)}`;
}

function changeItem(shown: ShownChange, links: Links): Html {
  const { change, summary } = shown;
  const id = { address: change.address, name: change.module };
  const label = summary.worst === undefined ? html`<span class="tag unknown">unclear</span>` : severityLabel(summary.worst);
  const href = changeLink(shown, links);
  const at = change.to === null ? shown.before : shown.after;
  return html`<li>${label}<div><p>${moduleLink(links, id, at === undefined ? {} : { at })} <span class="dim">${changeWord(change)}</span>${watchedTag(shown)}</p>${detail(summary)}</div>
<p class="when"><a href="${href}">${change.from === null ? "at" : "compare at"} <span class="num">${count(change.atOrBeforeVersion)}</span></a>${change.isExact ? html`<span class="dim small">exact</span>` : ""}${madeAt(change)}</p></li>`;
}

function watchedTag({ watched }: ShownChange): Html {
  return watched === undefined ? html`` : html` <span class="tag watched" title="${text(watched.join(", "), 300)}">alert</span>`;
}

/** Where a change is shown: the two versions compared, or the module where it came or the last that was seen. */
export function changeLink({ change, before, after }: { readonly change: ModuleChange } & ChangeSnapshots, links: Links): string {
  const id = { address: change.address, name: change.module };
  if (change.from === null || before === undefined) return links.module(id, { at: after });
  if (change.to === null || after === undefined) return links.module(id, { at: before });
  return links.diff(id, { from: before, to: after });
}

/** Items with another name that are named. */
const RENAMED = 3;

/** `function a is called b now; struct C is called D now and 2 more`; empty where nothing only has another name. */
export function renamesText({ renamed }: Pick<ChangeSummary, "renamed">): string {
  const rest = renamed.length - RENAMED;
  const named = renamed.slice(0, RENAMED).map((rename) => renameText(rename));
  return text(`${named.join("; ")}${rest > 0 ? ` and ${count(rest)} more` : ""}`, 500);
}

function detail(summary: ChangeSummary): Html {
  const { first, reason, counts, refused } = summary;
  if (reason !== undefined) return html`<p class="dim small">could not be compared: ${text(reason)}</p>`;
  if (first === undefined) return html``;
  const rest = Object.values(counts).reduce((sum, n) => sum + n, 0) - 1;
  const vm = refused > 0 ? html` <span class="refused">the VM refuses ${refused}</span>` : "";
  return html`<p class="small"><code>${first.rule}</code> ${text(itemText(first), 120)}${rest > 0 ? html` <span class="dim">and ${count(rest)} more</span>` : ""}${vm}</p>${summary.renamed.length === 0 ? "" : html`<p class="small">${renamesText(summary)}</p>`}`;
}
