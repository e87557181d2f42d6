import { aboutTime } from "../../base/time/about-time.ts";
import { itemText } from "../../questions/diff/sentences.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, text } from "../html/texts.ts";
import { changeLink, changeWord } from "./change-rows.ts";
import { changesOf, type Night } from "./feed.ts";
import type { ShownChange } from "./weighed-change.ts";

type FeedFrame = { readonly chainId: number | null; readonly links: Links; readonly self: string; readonly page: string };

/** Changes as an Atom feed, an entry each. Its links are relative to the feed. Source: RFC 4287. */
export function atomOf(nights: readonly Night[], { chainId, links, self, page }: FeedFrame): Html {
  const updated = nights.map(timeOf).reduce((a, b) => (a > b ? a : b), new Date(0).toISOString());
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>movedex: changes of modules on chain ${chainId ?? "unknown"}</title><id>urn:movedex:${chainId ?? 0}:changes</id><updated>${updated}</updated><author><name>movedex</name></author><link rel="self" href="${self}"/><link rel="alternate" type="text/html" href="${page}"/>
${nights.map((night) => changesOf(night).map((change) => entry(change, night, chainId, links)))}</feed>
`;
}

function entry(shown: ShownChange, night: Night, chainId: number | null, links: Links): Html {
  const { change, summary } = shown;
  const { address, module, from, to, atOrBeforeVersion } = change;
  const level = summary.worst ?? "unclear";
  const time = aboutTime(change.ledgerTime, change.ledgerTimeErrorMs);
  const title = summary.first === undefined ? (summary.reason ?? "") : `${summary.first.rule} ${itemText(summary.first)}`;
  return html`<entry><title>${shown.watched === undefined ? "" : "alert, "}${level}: ${address}::${text(module, 100)} ${changeWord(change)}</title><id>urn:movedex:${chainId ?? 0}:${address}:${encodeURIComponent(module)}:${to ?? from ?? ""}:${atOrBeforeVersion}</id><updated>${timeOf(night)}</updated><link rel="alternate" type="text/html" href="${changeLink(shown, links)}"/><category term="${level}"/>${shown.watched === undefined ? "" : html`<category term="alert"/>`}<summary>${text(title, 500)} (shown by version ${count(night.snapshot.ledgerVersion)}${time === undefined ? "" : `; ${time}`})</summary></entry>
`;
}

function timeOf({ snapshot, foundAt }: Night): string {
  return new Date(foundAt ?? snapshot.sealedAt ?? snapshot.createdAt).toISOString();
}
