import { parseU64 } from "../../../core/base/numbers.ts";
import { plural } from "../../../core/base/plural.ts";
import { severities, severityMeanings } from "../../changes/compare/severity.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { QueryValues } from "../../changes/pages/page-links.ts";
import { accountField, audienceChoice, checkbox, choice, nothing } from "../../pages/html/elements.ts";
import { count, madeAt, moment, num } from "../../pages/html/texts.ts";
import type { PageCall, PageHandler } from "../../pages/page.ts";
import { gapNote, gapNotes } from "../coverage/gaps-page.ts";
import { changeList, severityWords } from "./change-rows.ts";
import { type FeedPlace, type Night, readFeed, readFilter } from "./entries.ts";

/** `/changes`: what changed, night by night, filtered; `night` shows one alone. */
export const changesPage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const night = parseU64(query("night") ?? "");
  const { nights, next } = await readFeed(archive, readFilter(call), { place: placeOf(call), only: night !== undefined });
  const values = filterValues(call);
  const snapshots = nights.map(({ snapshot }) => snapshot);
  const notes = await gapNotes(archive, snapshots);
  const sections = nights.map(
    (each) => html`<section>${nightHead(each, call)}
${gapNote(each.snapshot, notes, links)}
${changeList(each.entries, each.snapshot.ledgerVersion, links)}</section>`,
  );
  const none = next === undefined ? "No change like this was observed." : "None yet: there is more to look through.";
  const href = links.changes({ ...values, night, ...placeValues(next) });
  const more = next !== undefined && next.skip > 0 ? "More of this night" : "Earlier changes";
  const body = html`<h1>Changes${night !== undefined && html` <span class="dim">in the snapshot at ${num(night)}</span>`}</h1>
${filterForm(call)}
<p class="small"><a href="${links.feed(values)}">Atom feed of these</a>
${night !== undefined && html` · <a href="${links.changes(values)}">all nights</a>`}</p>
${nights.length === 0 ? nothing(none) : sections}
${next && html`<p class="pager"><a class="button" href="${href}" rel="next">${more}</a></p>`}`;
  return { title: "Changes", section: "changes", feed: links.feed(values), body };
};

function nightHead({ snapshot, after, total, bySeverity }: Night, { links, now }: PageCall): Html {
  const { ledgerVersion: night, sealedAt } = snapshot;
  return html`<h2><a href="${links.changes({ night })}">${num(night)}</a>${madeAt(snapshot)}
${sealedAt ? html`<span class="dim small">sealed ${moment(sealedAt, now)}</span>` : ""}
<span class="dim small">${plural(total, "change")} since ${count(after)}: ${severityWords(bySeverity)}</span></h2>`;
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
