import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { type SnapshotCounts, statusQueries } from "../../archive/read/status-queries.ts";
import { readSealedVersions } from "../../archive/snapshots/snapshot-queries.ts";
import { plural } from "../../base/plural.ts";
import type { Address } from "../../move/address.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { accountLink, count, text } from "../html/texts.ts";
import type { PageArchive } from "../page-archive.ts";

/** Accounts without an answer that are named. */
const NAMED = 5;

/** Says that the newest snapshot has no answer about an account, and as of when it is shown; nothing where it has. */
export async function gapBanner(modules: ModuleArchive, address: Address, shown: bigint): Promise<Html> {
  const newest = (await readSealedVersions(modules.engine)).at(-1);
  const reason = newest === undefined || newest <= shown ? undefined : await modules.gapReason(address, newest);
  if (newest === undefined || reason === undefined) return html``;
  return html`<p class="notice">The newest snapshot, at <span class="num">${count(newest)}</span>, has no answer about this account:
${text(reason, 300)}. It is shown as of <span class="num">${count(shown)}</span>.</p>`;
}

/** The accounts that snapshots have no answer for, by name; by the snapshot's version, those without a gap left out. */
export async function gapNotes(
  { engine }: PageArchive,
  snapshots: readonly SnapshotCounts[],
): Promise<ReadonlyMap<bigint, readonly Address[]>> {
  const notes = new Map<bigint, readonly Address[]>();
  for (const { ledgerVersion, gaps } of snapshots)
    if (gaps > 0)
      notes.set(
        ledgerVersion,
        (await statusQueries(engine).listGaps({ ledgerVersion, limit: NAMED })).map(({ address }) => address),
      );
  return notes;
}

/** `No answer from 0x7: what changed there is not known.` */
export function gapNote({ ledgerVersion, gaps }: SnapshotCounts, named: readonly Address[] | undefined, links: Links): Html {
  if (named === undefined || named.length === 0) return html``;
  const names = named.map((address, i) => html`${i === 0 ? "" : ", "}${accountLink(links, address)}`);
  const rest =
    gaps > named.length ? html` and <a href="${links.gaps({ night: ledgerVersion })}">${plural(gaps - named.length, "other")}</a>` : "";
  return html`<p class="notice">No answer from ${names}${rest}: what changed there is not known.</p>`;
}
