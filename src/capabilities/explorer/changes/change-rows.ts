import type { Address } from "../../../core/move/address.ts";
import type { ChangeSummary } from "../../changes/compare/finding.ts";
import type { BySeverity } from "../../changes/diff/report.ts";
import { itemText, renameParts } from "../../changes/diff/sentences.ts";
import { rawText } from "../../changes/documents/document.ts";
import type { ModuleChange } from "../../changes/judge/changes.ts";
import { changeLink } from "../../changes/pages/change-page.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { severityLabel } from "../../pages/html/elements.ts";
import { accountLink, count, madeAt, moduleLink, num, text } from "../../pages/html/texts.ts";
import type { Entry, ShownChange } from "./entries.ts";

export function changeWord({ from, to, abiChanged }: ModuleChange): string {
  if (from === null) return "added";
  if (to === null) return "removed";
  return abiChanged === null ? "changed" : abiChanged ? "interface changed" : "code only";
}

/** Changes as a list, each with its worst finding and a link to the comparison; a release of many modules unfolds. */
export function changeList(entries: readonly Entry<ShownChange>[], night: bigint, links: Links): Html {
  const items = entries.map((entry) =>
    entry.account === undefined ? entry.changes.map((each) => changeItem(each, links)) : releaseItem(entry, entry.account, night, links),
  );
  return html`<ul class="changes">${items}</ul>`;
}

function releaseItem({ changes, total, bySeverity }: Entry<ShownChange>, account: Address, night: bigint, links: Links): Html {
  const rest = total - changes.length;
  const watched = new Set(changes.flatMap(({ watched = [] }) => watched));
  return html`<li class="release">${severityLabel(changes[0]?.summary.worst)}<div>
<p>${accountLink(links, account)} <span class="dim">${count(total)} modules changed</span>${alertTag([...watched])}</p>
<p class="small">${severityWords(bySeverity)}</p>
<details><summary>The modules, the worst first</summary>
<ul class="changes">${changes.map((each) => changeItem(each, links))}</ul>
${rest > 0 && html`<p><a href="${links.changes({ night, account })}">and ${count(rest)} more</a></p>`}</details></div></li>`;
}

/** Says that somebody watches it, and what of it. */
function alertTag(watched: readonly string[]): Html {
  return watched.length === 0 ? html`` : html` <span class="tag watched" title="${text(watched.join(", "), 300)}">alert</span>`;
}

export function severityWords(bySeverity: BySeverity): Html {
  const words = bySeverity.map(([level, n], i) => {
    const number = `${count(n)} ${level}`;
    return html`${i > 0 && ", "}${level === "breaking" ? html`<b class="refused">${number}</b>` : number}`;
  });
  return html`${words}`;
}

function changeItem(shown: ShownChange, links: Links): Html {
  const { change, summary, watched = [] } = shown;
  const verb = change.from === null ? "at" : "compare at";
  const name = moduleLink(links, { address: change.address, name: change.module }, { at: change.to === null ? shown.before : shown.after });
  return html`<li>${severityLabel(summary.worst)}<div>
<p>${name} <span class="dim">${changeWord(change)}</span>${alertTag(watched)}</p>${detail(summary)}</div>
<p class="when"><a href="${changeLink(shown, links)}">${verb} ${num(change.atOrBeforeVersion)}</a>
${change.isExact && html`<span class="dim small">exact</span>`}${madeAt(change)}</p></li>`;
}

/** Items with another name that are named. */
const RENAMED = 3;

/** `function a is called b now; struct C is called D now and 2 more`; empty where nothing only has another name. */
export function renamesText({ renamed }: Pick<ChangeSummary, "renamed">): string {
  const rest = renamed.length - RENAMED;
  const named = renamed.slice(0, RENAMED).map((rename) => rawText(renameParts(rename)));
  return text(`${named.join("; ")}${rest > 0 ? ` and ${count(rest)} more` : ""}`, 500);
}

function detail(summary: ChangeSummary): Html {
  const { first, reason, counts, refused, renamed } = summary;
  if (reason !== undefined) return html`<p class="dim small">could not be compared: ${text(reason)}</p>`;
  if (first === undefined) return html``;
  const rest = Object.values(counts).reduce((sum, n) => sum + n, 0) - 1;
  const others = rest > 0 && html` <span class="dim">and ${count(rest)} more</span>`;
  const vm = refused > 0 && html` <span class="refused">the VM refuses ${refused}</span>`;
  return html`<p class="small"><code>${first.rule}</code> ${text(itemText(first), 120)}${others}${vm}</p>
${renamed.length > 0 && html`<p class="small">${renamesText(summary)}</p>`}`;
}
