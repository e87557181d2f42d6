import { parseU64 } from "../../../core/base/numbers.ts";
import { grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { type SnapshotCounts, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import { readSealedVersions } from "../../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../../core/move/address.ts";
import { errorClasses } from "../../../core/node/protocol/error-classes.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { type Going, horizonSentence, readGoing } from "../../gaps/going.ts";
import { heading, nothing, table } from "../../pages/html/elements.ts";
import { accountLink, capital, madeAt, nightLink, num, prose } from "../../pages/html/texts.ts";
import type { PageHandler } from "../../pages/page.ts";
import type { PageArchive } from "../../pages/page-archive.ts";

const LISTED = 500;

/** What to do about gaps of a reason, where it is not to wait for the next night. */
const advice: Readonly<Record<string, string>> = {
  pruned: "This node will not answer any more. Another one may: `movedex backfill --rpc URL`.",
  unable: "Ask another node: the operator of this one has not switched on what is needed.",
  inferred: "Ask a node itself, and no service that answers for other versions.",
  too_large: "Look at what the account answers: no chain stores as much.",
  bad_answer: "Ask another node with `--rpc`; `movedex doctor` says what is odd about this one.",
  unknown_path: "Check the address: it has to end with `/v1`.",
};

const outlook = { final: "it cannot be read from this node", open: "will be tried again while the node has this version" } as const;

function meaningOf(reason: string, unknown: string): string {
  return Object.hasOwn(errorClasses, reason) ? errorClasses[reason as keyof typeof errorClasses].meaning : unknown;
}

/** `/gaps`: which accounts gave no answer, why, and what to do. */
export const gapsPage: PageHandler = async ({ archive: { engine }, links, query }) => {
  const night = parseU64(query("night") ?? "");
  const { gapReasons, listCountedGaps } = statusQueries(engine);
  const reasons = [...(await gapReasons(night))];
  const total = reasons.reduce((sum, [, n]) => sum + n, 0);
  const gaps = await listCountedGaps(night ?? null, LISTED);
  const why = reasons.map(([reason, n]) => [
    html`<code>${printable(reason, 60)}</code>`,
    num(n),
    meaningOf(reason, "see what the node said"),
    html`<span class="mid-cell">${prose(advice[reason] ?? "Nothing: the next `movedex sync` tries again.")}</span>`,
  ]);
  const rows = gaps.map((gap) => [
    accountLink(links, gap.address),
    html`${nightLink(links, gap.ledgerVersion)}${madeAt(gap)}`,
    html`<code>${printable(gap.reason, 60)}</code>`,
    `tried ${plural(gap.attempts, "time")}; ${outlook[gap.isFinal ? "final" : "open"]}`,
    html`<span class="small wide-cell">${printable(gap.message, 300)}</span>`,
  ]);
  const none =
    night === undefined ? "Every snapshot has an answer for every account it was asked for." : "No snapshot of this version has a gap.";
  const lead = gaps.length === 0 ? none : `${plural(total, "answer")} missing. A gap is no deletion: it is not known what stood there.`;
  const heads = ["Account", "Version", "Reason", "What comes", "What the node said"];
  const accounts = table("Gaps", heads, rows, { isSortable: true });
  const cut = `The newest ${grouped(LISTED)} are listed; \`movedex gaps\` and the view \`gaps\` have all.`;
  const sections = html`<section><h2>Why</h2>
<div class="narrow">${table("Gaps by reason", ["Reason", "Gaps", "What it means", "What to do"], why)}</div></section>
<section><h2>Accounts</h2><div class="narrow">${accounts}</div>
${gaps.length < total && html`<p class="dim">${prose(cut)}</p>`}</section>`;
  const body = html`<p class="crumbs"><a href="${links.coverage()}">Coverage</a> · <a href="${links.going()}">what goes tomorrow</a></p>
<h1>Gaps${night !== undefined && html` <span class="dim">of version ${num(night)}</span>`}</h1>
<p class="lead">${lead}${night !== undefined && html` <a href="${links.gaps()}">all versions</a>`}</p>
${gaps.length > 0 && sections}`;
  return { title: "Gaps", section: "coverage", body };
};

/** `/going`: what the node prunes within a day, and what of it is not held. */
export const goingPage: PageHandler = async ({ archive: { engine }, links, now }) => {
  const going = await readGoing(engine, now);
  const title = "What goes tomorrow";
  const none = nothing("Nothing, as far as it is known: no node was asked lately, or its horizon does not rise.");
  const body = html`<p class="crumbs"><a href="${links.coverage()}">Coverage</a></p><h1>${title}</h1>
${going === undefined ? none : goingView(going, links)}`;
  return { title, section: "coverage", isCached: false, body };
};

function goingView(going: Going, links: Links): Html {
  const { accounts, versions, changes, from, below, node } = going;
  const rows = accounts.map(({ address, lastHeld }) => [accountLink(links, address), lastHeld === null ? "never read" : num(lastHeld)]);
  const list = versions.map((version) => html`<li><a class="num" href="${links.gaps({ night: version })}">${grouped(version)}</a></li>`);
  const traced =
    changes === 0
      ? "Every change there is known to the version, or can still be traced later."
      : `${grouped(changes)} of the changes that are held lie there, not traced to their version: \`movedex trace\` does it while it can.`;
  return html`<p class="lead">${capital(horizonSentence(going))}.</p>
<p class="dim small">Versions from ${num(from)} to ${num(below - 1n)} at ${node}.</p>
<section>${heading("Accounts not held there", rows.length)}
${table("Accounts", ["Account", "Last held at"], rows, { none: "None: all that is to be read is held." })}</section>
<section>${heading("Snapshots not read to their end", list.length)}
${list.length === 0 ? nothing("None.") : html`<ul>${list}</ul>`}</section>
<section><h2>Changes</h2><p>${prose(traced)}</p></section>`;
}

/** Says that the newest snapshot has no answer about an account, and as of when it is shown; nothing where it has. */
export async function gapBanner(modules: ModuleArchive, links: Links, address: Address, shown: bigint): Promise<Html> {
  const newest = (await readSealedVersions(modules.engine)).at(-1);
  const reason = newest === undefined || newest <= shown ? undefined : await modules.gapReason(address, newest);
  if (newest === undefined || reason === undefined) return html``;
  const link = html`<a class="num" href="${links.gaps({ night: newest })}">${grouped(newest)}</a>`;
  return html`<p class="notice">The newest snapshot, at ${link}, has no answer about this account:
${printable(meaningOf(reason, reason), 300)}. It is shown as of ${num(shown)}.</p>`;
}

/** Accounts without an answer that are named. */
const NAMED = 5;

/** The accounts that a snapshot has no answer for, by name, as far as there is room. */
export async function namedGaps({ engine }: PageArchive, { ledgerVersion, gaps }: SnapshotCounts): Promise<Address[]> {
  if (gaps === 0) return [];
  return (await statusQueries(engine).listGaps({ ledgerVersion, limit: NAMED })).map(({ address }) => address);
}

/** `No answer from 0x7: what changed there is not known.` */
export async function gapNote(archive: PageArchive, snapshot: SnapshotCounts, links: Links): Promise<Html> {
  const named = await namedGaps(archive, snapshot);
  if (named.length === 0) return html``;
  const { ledgerVersion: night, gaps } = snapshot;
  const names = named.map((address, i) => html`${i > 0 && ", "}${accountLink(links, address)}`);
  const rest = gaps > named.length && html` and <a href="${links.gaps({ night })}">${plural(gaps - named.length, "other")}</a>`;
  return html`<p class="notice">No answer from ${names}${rest}: what changed there is not known.</p>`;
}
