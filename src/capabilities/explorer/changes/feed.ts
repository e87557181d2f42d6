import { grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { aboutTime } from "../../../core/base/time.ts";
import { readChain } from "../../../core/db/archive/chain.ts";
import { type SnapshotCounts, sealedAmong, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import { itemText } from "../../changes/diff/sentences.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import { type ChangeSnapshots, changeLink, type Links, withSnapshots } from "../../changes/pages/page-links.ts";
import type { PageCall, PageHandler } from "../../pages/page.ts";
import { namedGaps } from "../coverage/gaps-page.ts";
import { changeWord, filterValues, placeOf, placeValues, renamesText } from "./changes-page.ts";
import { type ChangeFilter, type Entry, type FeedPlace, hasGapOf, type MarkedChange, type Night, readFeed, readFilter } from "./entries.ts";

/** Entries of a part of the feed, changes that one of them lists, and characters after which a part takes no more entries. */
const [FEED_ENTRIES, FEED_LISTED, FEED_CHARACTERS] = [100, 500, 1_000_000];

/** `id` is what makes it this entry, on its chain. */
type FeedEntry = Readonly<{ title: string; id: string; snapshot: SnapshotCounts; href: string; terms: readonly string[]; body: Html }>;

/**
 * `/changes.atom`: changes as a feed, the newest first, with the same filters; what is beyond a part follows `next`. Its links are relative
 * to the feed. Source: RFC 4287; of `next`: RFC 5005.
 */
export const changesFeed: PageHandler = async (call) => {
  const { archive, links } = call;
  const [place, filter] = [placeOf(call), readFilter(call)];
  const { nights, next: after } = await readFeed(archive, filter, { place, limit: FEED_ENTRIES, listed: FEED_LISTED });
  const { changed, next = after } = await fitting(call, nights, place);
  const entries = [...(place === undefined ? await gapEntries(call, filter) : []), ...changed];
  const [values, chainId] = [filterValues(call), await readChain(archive.engine)];
  const timeOf = ({ snapshot }: FeedEntry): string => new Date(snapshot.sealedAt ?? snapshot.createdAt).toISOString();
  const updated = entries.map(timeOf).reduce((a, b) => (a > b ? a : b), new Date(0).toISOString());
  const shown = entries.map(
    (entry) => html`<entry><title>${entry.title}</title>
<id>urn:movedex:${chainId ?? 0}:${entry.id}</id><updated>${timeOf(entry)}</updated>
<link rel="alternate" type="text/html" href="${entry.href}"/>${entry.terms.map((term) => html`<category term="${term}"/>`)}
${entry.body}</entry>
`,
  );
  const feed = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>movedex: changes of modules on chain ${chainId ?? "unknown"}</title>
<id>urn:movedex:${chainId ?? 0}:changes</id><updated>${updated}</updated><author><name>movedex</name></author>
<link rel="self" href="${links.feed(values)}"/><link rel="alternate" type="text/html" href="${links.changes(values)}"/>
${next && html`<link rel="next" href="${links.feed({ ...values, ...placeValues(next) })}"/>`}${shown}</feed>
`;
  return { contentType: "application/atom+xml; charset=utf-8", body: Buffer.from(feed.text) };
};

/** The accounts that the newest snapshot has no answer for, as an entry: what changed there is in no other. */
async function gapEntries({ archive, links }: PageCall, { account }: ChangeFilter): Promise<FeedEntry[]> {
  const [snapshot] = sealedAmong(await statusQueries(archive.engine).listSnapshots());
  const named = snapshot === undefined ? [] : await namedGaps(archive, snapshot);
  if (snapshot === undefined || named.length === 0 || !(await hasGapOf(archive, snapshot, account))) return [];
  const { ledgerVersion: night, gaps } = snapshot;
  const rest = gaps > named.length ? ` and ${plural(gaps - named.length, "other")}` : "";
  const title = `no answer from ${named.join(", ")}${rest}`;
  const body = html`<summary>The snapshot at ${grouped(night)} has no answer for them: what changed there is not known.</summary>`;
  return [{ title, id: `gaps:${night}`, snapshot, href: links.gaps({ night }), terms: ["gap"], body }];
}

/** The entries of nights that a part of the feed has room for, and where those begin that it has not. */
async function fitting(call: PageCall, nights: readonly Night[], place: FeedPlace | undefined) {
  const changed: FeedEntry[] = [];
  let characters = 0;
  for (const { snapshot, entries } of nights) {
    const { ledgerVersion: version } = snapshot;
    const skipped = place?.version === version ? place.skip : 0;
    for (const [i, entry] of entries.entries()) {
      if (characters > FEED_CHARACTERS) return { changed, next: { version, skip: skipped + i } };
      const made = await feedEntries(entry, snapshot, call);
      changed.push(...made);
      characters += made.reduce((sum, { title, body }) => sum + title.length + body.text.length, 0);
    }
  }
  return { changed };
}

/** A release as one entry that lists its changes, or the first of very many; else an entry for each change. */
async function feedEntries(entry: Entry, snapshot: SnapshotCounts, { archive, links }: PageCall): Promise<FeedEntry[]> {
  const { account, changes, total, bySeverity } = entry;
  const entries = (await withSnapshots(archive.modules, changes)).map((shown) => changeEntry(shown, snapshot, links));
  if (account === undefined) return entries;
  const { ledgerVersion: night } = snapshot;
  const list = entries.map(({ title, href }, i) => html`<li><a href="${href}">${title}</a> ${changes[i] && wordsOf(changes[i])}</li>`);
  const terms = [...new Set(entries.flatMap((each) => each.terms))];
  const counts = bySeverity.map(([level, n]) => `${grouped(n)} ${level}`).join(", ");
  const title = `${terms.includes("alert") ? "alert, " : ""}${account}: ${plural(total, "module")} changed: ${counts}`;
  const href = links.changes({ night, account });
  const more = total > changes.length && html`<p><a href="${href}">and ${grouped(total - changes.length)} more</a></p>`;
  const body = html`<content type="html">${html`<ul>${list}</ul>${more}`.text}</content>`;
  return [{ title, id: `${account}:release:${night}`, snapshot, href, terms, body }];
}

function changeEntry(shown: MarkedChange & ChangeSnapshots, snapshot: SnapshotCounts, links: Links): FeedEntry {
  const { change, summary, watched } = shown;
  const { address, module, from, to, atOrBeforeVersion } = change;
  const terms = [summary.worst ?? "unclear", ...(watched.length === 0 ? [] : ["alert"])];
  const time = aboutTime(change.ledgerTime, change.ledgerTimeErrorMs);
  const when = `shown by version ${grouped(snapshot.ledgerVersion)}${time === undefined ? "" : `; ${time}`}`;
  return {
    title: `${terms.toReversed().join(", ")}: ${address}::${printable(module, 100)} ${changeWord(change)}`,
    id: `${address}:${encodeURIComponent(module)}:${to ?? from ?? ""}:${atOrBeforeVersion}`,
    snapshot,
    href: changeLink(shown, links),
    terms,
    body: html`<summary>${wordsOf(shown)} (${when})</summary>`,
  };
}

/** The worst of a change in words: its rule and item, and what has another name. */
function wordsOf({ summary }: MarkedChange): string {
  const { first, reason, renamed } = summary;
  const renames = renamed.length === 0 ? "" : `; ${renamesText(summary)}`;
  return printable(first === undefined ? (reason ?? "") : `${first.rule} ${itemText(first)}${renames}`, 500);
}
