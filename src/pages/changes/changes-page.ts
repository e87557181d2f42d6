import { severities, severityMeanings } from "../../abi/compare/severity.ts";
import { readChain } from "../../archive/chain.ts";
import { type SnapshotCounts, statusQueries } from "../../archive/read/status-queries.ts";
import { plural } from "../../base/plural.ts";
import { aboutTime } from "../../base/time.ts";
import { parseU64 } from "../../base/u64.ts";
import { sealedAmong } from "../../questions/diff/last-night.ts";
import { itemText } from "../../questions/diff/sentences.ts";
import { gapNote, gapNotes } from "../coverage/gaps-page.ts";
import { type Html, html } from "../html/html.ts";
import type { Links, QueryValues } from "../html/links.ts";
import { accountField, audienceChoice, checkbox, choice, count, madeAt, moment, nothing, text } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { changeLink, changeList, changeWord, renamesText, severityWords } from "./change-rows.ts";
import { type FeedPlace, type Night, readFeed, readFilter, type ShownChange } from "./entries.ts";

/** `/changes`: what changed, night by night, filtered; `night` shows one alone. */
export const changesPage: PageHandler = async (call) => {
  const { archive, links } = call;
  const filter = readFilter(call);
  const night = versionIn(call, "night");
  const place = placeOf(call);
  const { nights, next } = await readFeed(archive, filter, { place, only: night !== undefined });
  const values = filterValues(call);
  const which = night === undefined ? "" : html` <span class="dim">in the snapshot at <span class="num">${count(night)}</span></span>`;
  const all = night === undefined ? "" : html` · <a href="${links.changes(values)}">all nights</a>`;
  const notes = await gapNotes(
    archive,
    nights.map(({ snapshot }) => snapshot),
  );
  const sections = nights.map((each) => nightSection(each, call, notes));
  const none = next === undefined ? "No change like this was observed." : "None yet: there is more to look through.";
  const body = html`<h1>Changes${which}</h1>
${filterForm(call)}
<p class="small"><a href="${links.feed(values)}">Atom feed of these</a>${all}</p>
${nights.length === 0 ? nothing(none) : sections}${next === undefined ? "" : pager(next, { ...values, night }, links)}`;
  return { title: "Changes", section: "changes", feed: links.feed(values), body };
};

/** Leads to what is beyond the changes of a page. */
function pager({ version, skip }: FeedPlace, values: QueryValues, links: Links): Html {
  const href = links.changes({ ...values, from: version, skip: skip || undefined });
  const words = skip > 0 ? "More of this night" : "Earlier changes";
  return html`<p class="pager"><a class="button" href="${href}" rel="next">${words}</a></p>`;
}

/** `/changes.atom`: the newest changes as a feed, with the same filters. */
export const changesFeed: PageHandler = async (call) => {
  const filter = readFilter(call);
  const { nights } = await readFeed(call.archive, filter, { place: undefined, limit: 100 });
  const chainId = await readChain(call.archive.modules.engine);
  const entries = nights.flatMap((night) => night.entries.flatMap(({ changes }) => changes.map((shown) => ({ night, shown }))));
  const [newest] = sealedAmong(await statusQueries(call.archive.engine).listSnapshots());
  const gaps = newest === undefined ? html`` : await gapEntry(newest, chainId, call);
  const body = Buffer.from(atomOf(entries, gaps, chainId, call).text);
  return { contentType: "application/atom+xml; charset=utf-8", body };
};

function nightSection(
  { snapshot, after, entries, total, bySeverity }: Night,
  { links, now }: PageCall,
  notes: Awaited<ReturnType<typeof gapNotes>>,
): Html {
  const { ledgerVersion, sealedAt } = snapshot;
  const when = sealedAt ? html`<span class="dim small">sealed ${moment(sealedAt, now)}</span>` : "";
  const href = links.changes({ night: ledgerVersion });
  const sum = html`${plural(total, "change")} since ${count(after)}: ${severityWords(bySeverity)}`;
  return html`<section>
<h2><a href="${href}"><span class="num">${count(ledgerVersion)}</span></a>${madeAt(snapshot)} ${when}
<span class="dim small">${sum}</span></h2>
${gapNote(snapshot, notes.get(ledgerVersion), links)}
${changeList(entries, ledgerVersion, links)}</section>`;
}

function filterForm({ links, query }: PageCall): Html {
  const levels = severities.map((one) => [one, `${one}: ${severityMeanings[one]}`] as const);
  return html`<form class="filters" action="${links.changes()}">${accountField(query("account"))}
<label>Module<input name="module" value="${query("module") ?? ""}" maxlength="255" spellcheck="false"></label>
<label>At least${choice("severity", [["", "any severity"], ...levels], query("severity"))}</label>
${audienceChoice(query("audience"))}${checkbox("watched", "Alerts only", query("watched") === "1")}
<button class="primary">Filter</button></form>`;
}

function filterValues({ query }: PageCall): QueryValues {
  return Object.fromEntries(["account", "module", "severity", "audience", "watched"].map((name) => [name, query(name)]));
}

function placeOf(call: PageCall): FeedPlace | undefined {
  const version = versionIn(call, "from") ?? versionIn(call, "night");
  const skip = Number(versionIn(call, "skip") ?? 0n);
  return version === undefined ? undefined : { version, skip: Number.isSafeInteger(skip) ? skip : 0 };
}

function versionIn({ query }: PageCall, name: string): bigint | undefined {
  return parseU64(query(name) ?? "");
}

type FeedEntry = { readonly night: Night; readonly shown: ShownChange };

/** Changes as an Atom feed, an entry each. Its links are relative to the feed. Source: RFC 4287. */
function atomOf(entries: readonly FeedEntry[], gaps: Html, chainId: number | null, call: PageCall): Html {
  const { links } = call;
  const [self, page] = [links.feed(filterValues(call)), links.changes(filterValues(call))];
  const updated = entries.map(({ night }) => timeOf(night)).reduce((a, b) => (a > b ? a : b), new Date(0).toISOString());
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>movedex: changes of modules on chain ${chainId ?? "unknown"}</title>
<id>urn:movedex:${chainId ?? 0}:changes</id><updated>${updated}</updated><author><name>movedex</name></author>
<link rel="self" href="${self}"/><link rel="alternate" type="text/html" href="${page}"/>
${gaps}${entries.map((each) => entry(each, chainId, links))}</feed>
`;
}

/** The accounts that the newest snapshot has no answer for, as an entry: what changed there is in no other. */
async function gapEntry(newest: SnapshotCounts, chainId: number | null, { archive, links }: PageCall): Promise<Html> {
  const named = (await gapNotes(archive, [newest])).get(newest.ledgerVersion) ?? [];
  if (named.length === 0) return html``;
  const rest = newest.gaps > named.length ? ` and ${count(newest.gaps - named.length)} others` : "";
  const made = new Date(newest.sealedAt ?? newest.createdAt).toISOString();
  return html`<entry><title>no answer from ${named.join(", ")}${rest}</title>
<id>urn:movedex:${chainId ?? 0}:gaps:${newest.ledgerVersion}</id><updated>${made}</updated>
<link rel="alternate" type="text/html" href="${links.gaps({ night: newest.ledgerVersion })}"/><category term="gap"/>
<summary>The snapshot at ${count(newest.ledgerVersion)} has no answer for them: what changed there is not known.</summary></entry>
`;
}

function entry({ shown, night }: FeedEntry, chainId: number | null, links: Links): Html {
  const { change, summary } = shown;
  const { address, module, from, to, atOrBeforeVersion } = change;
  const level = summary.worst ?? "unclear";
  const time = aboutTime(change.ledgerTime, change.ledgerTimeErrorMs);
  const renames = summary.renamed.length === 0 ? "" : `; ${renamesText(summary)}`;
  const title = summary.first === undefined ? (summary.reason ?? "") : `${summary.first.rule} ${itemText(summary.first)}${renames}`;
  const isWatched = shown.watched !== undefined;
  const id = `urn:movedex:${chainId ?? 0}:${address}:${encodeURIComponent(module)}:${to ?? from ?? ""}:${atOrBeforeVersion}`;
  const when = `shown by version ${count(night.snapshot.ledgerVersion)}${time === undefined ? "" : `; ${time}`}`;
  return html`<entry><title>${isWatched ? "alert, " : ""}${level}: ${address}::${text(module, 100)} ${changeWord(change)}</title>
<id>${id}</id><updated>${timeOf(night)}</updated><link rel="alternate" type="text/html" href="${changeLink(shown, links)}"/>
<category term="${level}"/>${isWatched ? html`<category term="alert"/>` : ""}
<summary>${text(title, 500)} (${when})</summary></entry>
`;
}

function timeOf({ snapshot }: Night): string {
  return new Date(snapshot.sealedAt ?? snapshot.createdAt).toISOString();
}
