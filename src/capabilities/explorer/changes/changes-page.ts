import { parseU64 } from "../../../core/base/numbers.ts";
import { grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../../core/move/address.ts";
import type { ChangeSummary } from "../../changes/compare/finding.ts";
import { severities, severityMeanings } from "../../changes/compare/severity.ts";
import type { BySeverity } from "../../changes/diff/report.ts";
import { itemText, renameParts } from "../../changes/diff/sentences.ts";
import { rawText } from "../../changes/documents/document.ts";
import type { ModuleChange } from "../../changes/judge/changes.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import { type ChangeSnapshots, changeLink, type Links, type QueryValues, withSnapshots } from "../../changes/pages/page-links.ts";
import { accountField, audienceChoice, checkbox, choice, nothing, severityLabel } from "../../pages/html/elements.ts";
import { accountLink, madeAt, moduleLink, moment, num } from "../../pages/html/texts.ts";
import type { PageCall, PageHandler } from "../../pages/page.ts";
import type { PageArchive } from "../../pages/page-archive.ts";
import { gapNote } from "../coverage/gaps-page.ts";
import { type Entry, type FeedPlace, type MarkedChange, type Night, readFeed, readFilter } from "./entries.ts";

const NONE = "No change like this was observed.";

/** `/changes`: what changed, night by night, filtered; `night` shows one alone. */
export const changesPage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const night = parseU64(query("night") ?? "");
  const sealed = await readSealedVersions(archive.engine);
  const part = { place: placeOf(call), only: night !== undefined };
  const isHeld = night === undefined || sealed.includes(night);
  const { nights, next } = isHeld ? await readFeed(archive, readFilter(call), part) : { nights: [], next: undefined };
  const values = filterValues(call);
  const sections = await Array.fromAsync(
    nights,
    async (each) => html`<section>${nightHead(each, call)}
${await gapNote(archive, each.snapshot, links)}
${each.total > 0 && (await changeList(archive, each.entries, each.snapshot.ledgerVersion, links))}</section>`,
  );
  const last = night !== undefined && night === sealed[0] ? "It is the oldest: there is nothing to compare it with." : NONE;
  const none = next === undefined ? last : "None yet: there is more to look through.";
  const href = links.changes({ ...values, night, ...placeValues(next) });
  const more = next !== undefined && next.skip > 0 ? "More of this night" : "Earlier changes";
  const body = html`<h1>Changes${night !== undefined && html` <span class="dim">in the snapshot at ${num(night)}</span>`}</h1>
${filterForm(call)}
<p class="small"><a href="${links.feed(values)}">Atom feed of these</a>
${night !== undefined && html` · <a href="${links.changes(values)}">all nights</a>`}</p>
${nights.length === 0 ? nothing(isHeld ? none : "No sealed snapshot is of this version.") : sections}
${next && html`<p class="pager"><a class="button" href="${href}" rel="next">${more}</a></p>`}`;
  return { title: night === undefined ? "Changes" : `Changes at ${grouped(night)}`, section: "changes", feed: links.feed(values), body };
};

function nightHead({ snapshot, after, total, bySeverity }: Night, { links, now }: PageCall): Html {
  const { ledgerVersion: night, sealedAt } = snapshot;
  return html`<h2><a href="${links.changes({ night })}">${num(night)}</a>${madeAt(snapshot)}
${sealedAt ? html`<span class="dim small">sealed ${moment(sealedAt, now)}</span>` : ""}
<span class="dim small">${plural(total, "change")} since ${grouped(after)}${total > 0 && ": "}${severityWords(bySeverity)}</span></h2>`;
}

function filterForm({ links, query }: PageCall): Html {
  const levels = severities.map((one) => [one, `${one}: ${severityMeanings[one]}`] as const);
  return html`<form class="filters" action="${links.changes()}">${accountField(query("account"))}
<label>Module<input name="module" value="${query("module") ?? ""}" maxlength="255" spellcheck="false"></label>
<label>At least${choice("severity", [["", "any severity"], ...levels], query("severity"))}</label>
${audienceChoice(query("audience"))}${checkbox("watched", "Alerts only", query("watched") === "1")}
<button class="primary">Filter</button></form>`;
}

/** The filter of a page, as its links keep it. */
export function filterValues({ query }: PageCall): QueryValues {
  return Object.fromEntries(["account", "module", "severity", "audience", "watched"].map((name) => [name, query(name)]));
}

/** Where a page begins, and the values that say so in an address. */
export function placeOf({ query }: PageCall): FeedPlace | undefined {
  const version = parseU64(query("from") ?? query("night") ?? "");
  const skip = Number(parseU64(query("skip") ?? "") ?? 0n);
  return version === undefined ? undefined : { version, skip: Number.isSafeInteger(skip) ? skip : 0 };
}

export function placeValues(place: FeedPlace | undefined): QueryValues {
  return place === undefined ? {} : { from: place.version, skip: place.skip || undefined };
}

export function changeWord({ from, to, abiChanged }: ModuleChange): string {
  if (from === null) return "added";
  if (to === null) return "removed";
  return abiChanged === null ? "changed" : abiChanged ? "interface changed" : "code only";
}

/** Changes as a list, each with its worst finding and a link to the comparison; a release of many modules unfolds. */
export async function changeList({ modules }: PageArchive, entries: readonly Entry[], night: bigint, links: Links): Promise<Html> {
  const items = await Array.fromAsync(entries, async (entry) => {
    const changes = (await withSnapshots(modules, entry.changes)).map((each) => changeItem(each, links));
    return entry.account === undefined
      ? changes
      : releaseItem(entry, entry.account, changes, links.changes({ night, account: entry.account }), links);
  });
  return html`<ul class="changes">${items}</ul>`;
}

function releaseItem({ changes, total, bySeverity }: Entry, account: Address, items: readonly Html[], href: string, links: Links): Html {
  const rest = total - changes.length;
  const watched = new Set(changes.flatMap((each) => each.watched));
  return html`<li class="release">${severityLabel(changes[0]?.summary.worst)}<div>
<p>${accountLink(links, account)} <span class="dim">${grouped(total)} modules changed</span>${alertTag([...watched])}</p>
<p class="small">${severityWords(bySeverity)}</p>
<details><summary>The modules, the worst first</summary>
<ul class="changes">${items}</ul>
${rest > 0 && html`<p><a href="${href}">and ${grouped(rest)} more</a></p>`}</details></div></li>`;
}

/** Says that somebody watches it, and what of it. */
function alertTag(watched: readonly string[]): Html {
  return watched.length === 0 ? html`` : html` <span class="tag watched" title="${printable(watched.join(", "), 300)}">alert</span>`;
}

export function severityWords(bySeverity: BySeverity): Html {
  const words = bySeverity.map(([level, n], i) => {
    const number = `${grouped(n)} ${level}`;
    return html`${i > 0 && ", "}${level === "breaking" ? html`<b class="refused">${number}</b>` : number}`;
  });
  return html`${words}`;
}

function changeItem(shown: MarkedChange & ChangeSnapshots, links: Links): Html {
  const { change, summary, watched } = shown;
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
  return printable(`${named.join("; ")}${rest > 0 ? ` and ${grouped(rest)} more` : ""}`, 500);
}

function detail(summary: ChangeSummary): Html {
  const { first, reason, counts, refused, renamed } = summary;
  if (reason !== undefined) return html`<p class="dim small">could not be compared: ${printable(reason)}</p>`;
  if (first === undefined) return html``;
  const rest = Object.values(counts).reduce((sum, n) => sum + n, 0) - 1;
  const others = rest > 0 && html` <span class="dim">and ${grouped(rest)} more</span>`;
  const vm = refused > 0 && html` <span class="refused">the VM refuses ${refused}</span>`;
  return html`<p class="small"><code>${first.rule}</code> ${printable(itemText(first), 120)}${others}${vm}</p>
${renamed.length > 0 && html`<p class="small">${renamesText(summary)}</p>`}`;
}
