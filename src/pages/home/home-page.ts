import type { ModuleChange } from "../../archive/read/changes.ts";
import type { ArchiveTotals, SnapshotCounts } from "../../archive/read/status-queries.ts";
import { formatBytes } from "../../base/byte-count.ts";
import { plural } from "../../base/plural.ts";
import { SAMPLED_MS } from "../../crawl/horizon/head-watch.ts";
import { horizonForecasts } from "../../crawl/horizon/horizon-forecast.ts";
import { alertsOf, lastNight, sealedAmong } from "../../questions/diff/last-night.ts";
import { changeList, severityWords } from "../changes/change-rows.ts";
import { countBySeverity, entriesOf } from "../changes/entries.ts";
import { shownEntries } from "../changes/feed.ts";
import { withAlerts } from "../changes/watched.ts";
import { type WeighedChange, worstFirst } from "../changes/weighed-change.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, madeAt, moment, nothing } from "../html/texts.ts";
import { chainName } from "../layout.ts";
import type { PageHandler } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { horizonView } from "./horizon.ts";
import { nightsStrip } from "./nights.ts";

/** Changes that are weighed for one visitor where they are not known yet, and entries that are shown. */
const WEIGHED = 1000;
const SHOWN = 20;
/** Runs that are looked through for nights without a snapshot. */
const RUNS = 100;

/** `/`: which chain, what is held, the horizon, the last nights, and what changed in the last one, the worst first. */
export const homePage: PageHandler = async ({ archive, links, now }) => {
  const { store } = archive;
  const holdings = await store.holdings();
  const snapshots = await store.listSnapshots();
  const sealed = sealedAmong(snapshots);
  const [forecast] = horizonForecasts(await store.headSamples({ since: now - SAMPLED_MS }));
  const held = sealed.map(({ ledgerVersion }) => ledgerVersion);
  const body = html`<div class="hero"><h1>${holdings.chainId === null ? "An empty archive" : chainName(holdings.chainId)}</h1>${heldSentence(holdings, sealed[0], now)}</div>
${figures(holdings, links)}
<section><h2>Horizon</h2>${horizonView(forecast, held, now)}</section>
<section><h2>Last nights <a class="more" href="${links.coverage()}">coverage map</a></h2>${nightsStrip(snapshots, await store.listRuns(RUNS), links)}</section>
${await lastNightSection(archive, sealed, links)}`;
  return { title: "", section: "home", body };
};

function heldSentence({ snapshots, oldestSnapshot, newestSnapshot }: ArchiveTotals, newest: SnapshotCounts | undefined, now: number): Html {
  if (newest === undefined || newestSnapshot === null)
    return html`<p class="lead">No sealed snapshot yet; <code>movedex sync</code> makes the first.</p>`;
  const when = newest.sealedAt === null || newest.sealedAt === 0 ? "" : html`, the newest sealed ${moment(newest.sealedAt, now)}`;
  const span =
    oldestSnapshot === newestSnapshot || oldestSnapshot === null
      ? html`at version <span class="num">${count(newestSnapshot)}</span>`
      : html`from version <span class="num">${count(oldestSnapshot)}</span> to <span class="num">${count(newestSnapshot)}</span>`;
  return html`<p class="lead">${plural(snapshots, "sealed snapshot")} ${span}${newest.ledgerTime === null ? "" : html`, made by the ledger${madeAt(newest)}`}${when}.</p>`;
}

function figures({ accounts, bytecodes, bytecodeBytes, functions, structs, gaps, undecodedBytecodes }: ArchiveTotals, links: Links): Html {
  const figure = (value: string, words: Html | string): Html => html`<div><dt>${words}</dt><dd>${value}</dd></div>`;
  return html`<dl class="figures">${figure(count(accounts), html`<a href="${links.coverage()}">accounts</a>`)}${figure(count(bytecodes), `bytecodes, ${formatBytes(bytecodeBytes)}`)}${figure(count(functions), "functions")}${figure(count(structs), "structs")}${figure(count(gaps), html`<a href="${links.coverage()}">gaps</a>`)}${undecodedBytecodes > 0 ? figure(count(undecodedBytecodes), "not decoded") : ""}</dl>`;
}

async function lastNightSection(archive: PageArchive, sealed: readonly SnapshotCounts[], links: Links): Promise<Html> {
  const stretch = lastNight(sealed);
  if (sealed.length === 0) return html``;
  if (stretch.after < 0n)
    return html`<section><h2>What changed</h2>${nothing("One snapshot is held: there is nothing to compare it with yet.")}</section>`;
  const all = await archive.store.listModuleChanges(stretch);
  const { weighed, left } = await weighAll(archive, all);
  const alerts = await archive.store.countAlerts(alertsOf(sealed, stretch));
  const entries = entriesOf(worstFirst(await withAlerts(archive.store, stretch, weighed)), false);
  const shown = await shownEntries(archive, entries.slice(0, SHOWN));
  const rest = all.length - shown.reduce((sum, { total }) => sum + total, 0);
  const range = html`<span class="dim small">between versions ${count(stretch.after)} and ${count(stretch.upTo)}</span>`;
  return html`<section><h2>What changed last night <a class="more" href="${links.changes()}">all changes</a></h2>
<p>${all.length === 0 ? "Nothing changed" : html`${plural(all.length, "module changed", "modules changed")}: ${severityWords(countBySeverity(weighed))}${left === 0 ? "" : `, ${count(left)} not weighed yet`}`} ${range}${alerts === 0 ? "" : html` · <a href="${links.changes({ watched: 1 })}">${plural(alerts, "alert")} of what is watched</a>`}</p>
${shown.length === 0 ? "" : changeList(shown, stretch.upTo, links)}${rest > 0 ? html`<p><a href="${links.changes({ night: stretch.upTo })}">and ${count(rest)} more</a></p>` : ""}</section>`;
}

/** Weighs all changes of a night; where very many are not known yet, `left` are for the next visitors: they are weighed in the meantime. */
async function weighAll({ summaries }: PageArchive, all: readonly ModuleChange[]): Promise<{ weighed: WeighedChange[]; left: number }> {
  const weighed: WeighedChange[] = [];
  let fresh = 0;
  for (const change of all) {
    if (!summaries.knows(change) && ++fresh > WEIGHED) continue;
    weighed.push({ change, summary: await summaries.of(change) });
  }
  return { weighed, left: all.length - weighed.length };
}
