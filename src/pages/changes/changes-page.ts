import { audienceMeanings, audiences, severities, severityMeanings } from "../../abi/compare/severity.ts";
import { plural } from "../../base/plural.ts";
import { parseU64 } from "../../base/u64.ts";
import { flag, type Html, html } from "../html/html.ts";
import type { QueryValues } from "../html/links.ts";
import { count, madeAt, moment, nothing } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { atomOf } from "./atom.ts";
import { readFilter } from "./change-filter.ts";
import { changeList, severityWords } from "./change-rows.ts";
import { changesOf, type FeedPlace, type Night, readFeed } from "./feed.ts";
import { readLateAlerts } from "./late-alerts.ts";
import type { ShownChange } from "./weighed-change.ts";

/** `/changes`: what changed, night by night, filtered; `night` shows one alone. */
export const changesPage: PageHandler = async (call) => {
  const { archive, links, now } = call;
  const filter = readFilter(call);
  const night = versionIn(call, "night");
  const place = placeOf(call);
  const part = await readFeed(archive, filter, { place, only: night !== undefined });
  const late = place === undefined ? await readLateAlerts(archive, filter) : [];
  const values = filterValues(call);
  const next = part.next;
  const more =
    next === undefined
      ? ""
      : html`<p class="pager"><a class="button" href="${links.changes({ ...values, night: night === undefined ? undefined : night, from: next.version, skip: next.skip === 0 ? undefined : next.skip })}" rel="next">${next.skip > 0 ? "More of this night" : "Earlier changes"}</a></p>`;
  const body = html`<h1>Changes${night === undefined ? "" : html` <span class="dim">shown by version <span class="num">${count(night)}</span></span>`}</h1>
${filterForm(call)}
<p class="small"><a href="${links.feed(values)}">Atom feed of these</a>${night === undefined ? "" : html` · <a href="${links.changes(values)}">all nights</a>`}</p>
${late.length === 0 ? "" : html`<section class="late"><h2>Alerts found last night in older snapshots</h2></section>${late.map((each) => nightSection(each, call, now))}`}${part.nights.length === 0 ? nothing(next === undefined ? "No change like this was observed." : "None yet: there is more to look through.") : part.nights.map((each) => nightSection(each, call, now))}${more}`;
  return { title: "Changes", section: "changes", feed: links.feed(values), body };
};

/** `/changes.atom`: the newest changes as a feed, with the same filters. */
export const changesFeed: PageHandler = async (call) => {
  const filter = readFilter(call);
  const late = await readLateAlerts(call.archive, filter);
  const { nights } = await readFeed(call.archive, filter, { place: undefined, limit: 100 });
  const chainId = await call.archive.modules.chainId();
  // An entry stands once in a feed. Source: RFC 4287, 4.1.1.
  const isLate = new Set(late.flatMap((night) => changesOf(night).map((shown) => keyOf(night.snapshot.ledgerVersion, shown))));
  const others = nights.map((night) => ({
    ...night,
    entries: night.entries.map((entry) => ({
      ...entry,
      changes: entry.changes.filter((shown) => !isLate.has(keyOf(night.snapshot.ledgerVersion, shown))),
    })),
  }));
  const feed = atomOf([...late, ...others], {
    chainId,
    links: call.links,
    self: call.links.feed(filterValues(call)),
    page: call.links.changes(filterValues(call)),
  });
  return { contentType: "application/atom+xml; charset=utf-8", body: Buffer.from(feed.text) };
};

function keyOf(version: bigint, { change }: ShownChange): string {
  return `${version} ${change.address} ${change.module}`;
}

function nightSection({ snapshot, after, entries, total, bySeverity, foundAt }: Night, { links }: PageCall, now: number): Html {
  const { ledgerVersion, sealedAt } = snapshot;
  const at = foundAt ?? sealedAt;
  const when =
    at === null || at === 0 ? "" : html`<span class="dim small">${foundAt === undefined ? "sealed" : "found"} ${moment(at, now)}</span>`;
  return html`<section><h2><a href="${links.changes({ night: ledgerVersion })}"><span class="num">${count(ledgerVersion)}</span></a>${madeAt(snapshot)} ${when}<span class="dim small">${plural(total, "change")} since ${count(after)}: ${severityWords(bySeverity)}</span></h2>${changeList(entries, ledgerVersion, links)}</section>`;
}

function filterForm({ links, query }: PageCall): Html {
  const choice = (
    name: "severity" | "audience",
    any: string,
    options: readonly string[],
    meanings: Readonly<Record<string, string>>,
  ): Html =>
    html`<select name="${name}"><option value="">${any}</option>${options.map((one) => html`<option value="${one}"${flag("selected", query(name) === one)}>${one}: ${meanings[one]}</option>`)}</select>`;
  return html`<form class="filters" action="${links.changes()}"><label>Account<input name="account" value="${query("account") ?? ""}" placeholder="0x1" maxlength="66" spellcheck="false"></label>
<label>Module<input name="module" value="${query("module") ?? ""}" maxlength="255" spellcheck="false"></label>
<label>At least${choice("severity", "any severity", severities, severityMeanings)}</label><label>For${choice("audience", "everybody", audiences, audienceMeanings)}</label><label class="box"><input type="checkbox" name="watched" value="1"${flag("checked", query("watched") === "1")}>Alerts only</label><button class="primary">Filter</button></form>`;
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
