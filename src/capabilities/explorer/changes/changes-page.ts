import { severities, severityMeanings } from "../../../core/abi/compare/severity.ts";
import { type Html, html } from "../../../core/base/html.ts";
import { plural } from "../../../core/base/plural.ts";
import { aboutTime } from "../../../core/base/time.ts";
import { parseU64 } from "../../../core/base/u64.ts";
import { readChain } from "../../../core/db/archive/chain.ts";
import { type SnapshotCounts, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import { changeLink } from "../../../core/questions/change-page.ts";
import { sealedAmong } from "../../../core/questions/diff/last-night.ts";
import { itemText } from "../../../core/questions/diff/sentences.ts";
import type { Links, QueryValues } from "../../../core/questions/page-links.ts";
import { gapNote, gapNotes } from "../coverage/gaps-page.ts";
import { accountField, audienceChoice, checkbox, choice, count, madeAt, moment, nothing, text } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { changeList, changeWord, renamesText, severityWords } from "./change-rows.ts";
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

/** Entries of a part of the feed, changes that one of them lists, and characters after which a part takes no more entries. */
const [FEED_ENTRIES, FEED_LISTED, FEED_CHARACTERS] = [100, 500, 1_000_000];

/** `/changes.atom`: changes as a feed, the newest first, with the same filters; what is beyond a part follows `next`. */
export const changesFeed: PageHandler = async (call) => {
  const { archive, links } = call;
  const place = placeOf(call);
  const { nights, next: after } = await readFeed(archive, readFilter(call), { place, limit: FEED_ENTRIES, listed: FEED_LISTED });
  const chainId = await readChain(archive.modules.engine);
  const { changed, next = after } = fitting(nights, place, links);
  const [newest] = sealedAmong(await statusQueries(archive.engine).listSnapshots());
  const gaps = newest === undefined || place !== undefined ? [] : await gapEntries(newest, call);
  const values = filterValues(call);
  const more = next === undefined ? undefined : links.feed({ ...values, from: next.version, skip: next.skip || undefined });
  const body = Buffer.from(
    atomOf([...gaps, ...changed], chainId, { self: links.feed(values), page: links.changes(values), next: more }).text,
  );
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

type FeedEntry = {
  readonly title: string;
  /** What makes it this entry, on its chain. */
  readonly id: string;
  readonly snapshot: SnapshotCounts;
  readonly href: string;
  readonly terms: readonly string[];
  readonly body: Html;
};

/** Entries as an Atom feed. Its links are relative to the feed. Source: RFC 4287; of `next`: RFC 5005. */
function atomOf(
  entries: readonly FeedEntry[],
  chainId: number | null,
  { self, page, next }: { readonly self: string; readonly page: string; readonly next: string | undefined },
): Html {
  const timeOf = ({ snapshot }: FeedEntry): string => new Date(snapshot.sealedAt ?? snapshot.createdAt).toISOString();
  const updated = entries.map(timeOf).reduce((a, b) => (a > b ? a : b), new Date(0).toISOString());
  const shown = entries.map(
    (entry) => html`<entry><title>${entry.title}</title>
<id>urn:movedex:${chainId ?? 0}:${entry.id}</id><updated>${timeOf(entry)}</updated>
<link rel="alternate" type="text/html" href="${entry.href}"/>${entry.terms.map((term) => html`<category term="${term}"/>`)}
${entry.body}</entry>
`,
  );
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>movedex: changes of modules on chain ${chainId ?? "unknown"}</title>
<id>urn:movedex:${chainId ?? 0}:changes</id><updated>${updated}</updated><author><name>movedex</name></author>
<link rel="self" href="${self}"/><link rel="alternate" type="text/html" href="${page}"/>
${next === undefined ? "" : html`<link rel="next" href="${next}"/>`}${shown}</feed>
`;
}

/** The accounts that the newest snapshot has no answer for, as an entry: what changed there is in no other. */
async function gapEntries(snapshot: SnapshotCounts, { archive, links }: PageCall): Promise<FeedEntry[]> {
  const { ledgerVersion: night, gaps } = snapshot;
  const named = (await gapNotes(archive, [snapshot])).get(night) ?? [];
  if (named.length === 0) return [];
  const rest = gaps > named.length ? ` and ${count(gaps - named.length)} others` : "";
  const title = `no answer from ${named.join(", ")}${rest}`;
  const body = html`<summary>The snapshot at ${count(night)} has no answer for them: what changed there is not known.</summary>`;
  return [{ title, id: `gaps:${night}`, snapshot, href: links.gaps({ night }), terms: ["gap"], body }];
}

/** The entries of nights that a part of the feed has room for, and where those begin that it has not. */
function fitting(nights: readonly Night[], place: FeedPlace | undefined, links: Links): { changed: FeedEntry[]; next?: FeedPlace } {
  const changed: FeedEntry[] = [];
  let characters = 0;
  for (const { snapshot, entries } of nights) {
    const { ledgerVersion: version } = snapshot;
    const skipped = place?.version === version ? place.skip : 0;
    for (const [i, entry] of entries.entries()) {
      if (characters > FEED_CHARACTERS) return { changed, next: { version, skip: skipped + i } };
      const made = feedEntries(entry, snapshot, links);
      changed.push(...made);
      characters += made.reduce((sum, { title, body }) => sum + title.length + body.text.length, 0);
    }
  }
  return { changed };
}

/** A release as one entry that lists its changes, or the first of very many; else an entry for each change. */
function feedEntries(
  { account, changes, total, bySeverity }: Night["entries"][number],
  snapshot: SnapshotCounts,
  links: Links,
): FeedEntry[] {
  if (account === undefined) return changes.map((shown) => changeEntry(shown, snapshot, links));
  const list = changes.map((shown) => {
    const { title, href } = changeEntry(shown, snapshot, links);
    return html`<li><a href="${href}">${title}</a> ${wordsOf(shown)}</li>`;
  });
  const terms = [...new Set(changes.flatMap(termsOf))];
  const counts = bySeverity.map(([level, n]) => `${count(n)} ${level}`).join(", ");
  const title = `${terms.includes("alert") ? "alert, " : ""}${account}: ${plural(total, "module")} changed: ${counts}`;
  const { ledgerVersion: night } = snapshot;
  const href = links.changes({ night, account });
  const rest = total - changes.length;
  const more = rest === 0 ? "" : html`<p><a href="${href}">and ${count(rest)} more</a></p>`;
  const body = html`<content type="html">${html`<ul>${list}</ul>${more}`.text}</content>`;
  return [{ title, id: `${account}:release:${night}`, snapshot, href, terms, body }];
}

function changeEntry(shown: ShownChange, snapshot: SnapshotCounts, links: Links): FeedEntry {
  const { change } = shown;
  const { address, module, from, to, atOrBeforeVersion } = change;
  const terms = termsOf(shown);
  const time = aboutTime(change.ledgerTime, change.ledgerTimeErrorMs);
  const when = `shown by version ${count(snapshot.ledgerVersion)}${time === undefined ? "" : `; ${time}`}`;
  return {
    title: `${terms.toReversed().join(", ")}: ${address}::${text(module, 100)} ${changeWord(change)}`,
    id: `${address}:${encodeURIComponent(module)}:${to ?? from ?? ""}:${atOrBeforeVersion}`,
    snapshot,
    href: changeLink(shown, links),
    terms,
    body: html`<summary>${wordsOf(shown)} (${when})</summary>`,
  };
}

function termsOf({ summary, watched }: ShownChange): string[] {
  return [summary.worst ?? "unclear", ...(watched === undefined ? [] : ["alert"])];
}

/** The worst of a change in words: its rule and item, and what has another name. */
function wordsOf({ summary }: ShownChange): string {
  const { first, reason, renamed } = summary;
  const renames = renamed.length === 0 ? "" : `; ${renamesText(summary)}`;
  return text(first === undefined ? (reason ?? "") : `${first.rule} ${itemText(first)}${renames}`, 500);
}
