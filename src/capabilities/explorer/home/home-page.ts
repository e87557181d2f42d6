import { type Html, html } from "../../../core/base/html.ts";
import { formatBytes, plural } from "../../../core/base/plural.ts";
import { formatDuration } from "../../../core/base/time.ts";
import { type Estimate, type HorizonForecast, storedForecasts } from "../../../core/crawl/horizon/horizon-forecast.ts";
import { changeQueries } from "../../../core/db/archive/read/changes.ts";
import { type ArchiveTotals, type SnapshotCounts, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import { alertsOf, lastNight, sealedAmong } from "../../../core/questions/diff/last-night.ts";
import type { Links } from "../../../core/questions/page-links.ts";
import { deliveryQueries } from "../../../core/work/alerts/deliveries.ts";
import { runQueries } from "../../../core/work/runs/runs.ts";
import { changeList, severityWords } from "../changes/change-rows.ts";
import { countBySeverity, entriesOf, shownEntries, wantedOf } from "../changes/entries.ts";
import { gapNote, gapNotes } from "../coverage/gaps-page.ts";
import { count, madeAt, moment, nothing } from "../html/texts.ts";
import { chainName } from "../layout.ts";
import type { PageHandler } from "../page.ts";
import type { PageArchive } from "../page-archive.ts";
import { growthQueries, growthView } from "./charts.ts";
import { nightsStrip } from "./nights.ts";

/** Changes that are weighed for one visitor where they are not known yet, and entries that are shown. */
const WEIGHED = 1000;
const SHOWN = 20;
/** Runs that are looked through for nights without a snapshot. */
const RUNS = 100;

/** `/`: which chain, what is held, the horizon, the last nights, and what changed in the last one, the worst first. */
export const homePage: PageHandler = async ({ archive, links, now }) => {
  const { engine } = archive;
  const holdings = await statusQueries(engine).holdings();
  const snapshots = await statusQueries(engine).listSnapshots();
  const sealed = sealedAmong(snapshots);
  const [forecast] = await storedForecasts(engine, now);
  const held = sealed.map(({ ledgerVersion }) => ledgerVersion);
  const title = holdings.chainId === null ? "An empty archive" : chainName(holdings.chainId);
  const strip = nightsStrip(snapshots, await runQueries(engine).listRuns(RUNS), links);
  const body = html`<div class="hero"><h1>${title}</h1>${heldSentence(holdings, sealed[0], now)}</div>
${figures(holdings, links)}
<section><h2>Horizon <a class="more" href="${links.going()}">what goes tomorrow</a></h2>${horizonView(forecast, held, now)}</section>
<section><h2>Last nights <a class="more" href="${links.coverage()}">coverage</a></h2>${strip}</section>
${await lastNightSection(archive, sealed, links)}
${await growthView(growthQueries(archive.engine), sealed, links)}`;
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
  const made = newest.ledgerTime === null ? "" : html`, made by the ledger${madeAt(newest)}`;
  return html`<p class="lead">${plural(snapshots, "sealed snapshot")} ${span}${made}${when}.</p>`;
}

function figures({ accounts, bytecodes, bytecodeBytes, functions, structs, gaps, undecodedBytecodes }: ArchiveTotals, links: Links): Html {
  const figure = (value: string, words: Html | string): Html => html`<div><dt>${words}</dt><dd>${value}</dd></div>`;
  const all = [
    figure(count(accounts), html`<a href="${links.coverage()}">accounts</a>`),
    figure(count(bytecodes), `bytecodes, ${formatBytes(bytecodeBytes)}`),
    figure(count(functions), "functions"),
    figure(count(structs), "structs"),
    figure(count(gaps), html`<a href="${links.gaps()}">gaps</a>`),
    undecodedBytecodes > 0 && figure(count(undecodedBytecodes), "not decoded"),
  ];
  return html`<dl class="figures">${all}</dl>`;
}

async function lastNightSection(archive: PageArchive, sealed: readonly SnapshotCounts[], links: Links): Promise<Html> {
  const stretch = lastNight(sealed);
  if (sealed.length === 0) return html``;
  if (stretch.after < 0n)
    return html`<section><h2>What changed</h2>${nothing("One snapshot is held: there is nothing to compare it with yet.")}</section>`;
  const [newest] = sealed;
  const all = await changeQueries(archive.engine).listModuleChanges(stretch);
  let fresh = 0;
  // Where very many are not known yet, the rest is for the next visitors.
  const some = all.filter((change) => archive.summaries.knows(change) || ++fresh <= WEIGHED);
  const weighed = await wantedOf(archive, stretch, some);
  const left = all.length - weighed.length;
  const alerts = await deliveryQueries(archive.engine).countAlerts(alertsOf(sealed, stretch));
  const entries = entriesOf(weighed, false);
  const shown = await shownEntries(archive, entries.slice(0, SHOWN));
  const rest = all.length - shown.reduce((sum, { total }) => sum + total, 0);
  const at = (version: bigint): Html => html`${count(version)}${madeAt(sealed.find(({ ledgerVersion }) => ledgerVersion === version))}`;
  const range = html`<span class="dim small">between versions ${at(stretch.after)} and ${at(stretch.upTo)}</span>`;
  const unweighed = left === 0 ? "" : `, ${count(left)} not weighed yet`;
  const changed = html`${plural(all.length, "module changed", "modules changed")}: ${severityWords(countBySeverity(weighed))}${unweighed}`;
  const alertLink = alerts === 0 ? "" : html` · <a href="${links.changes({ watched: 1 })}">${plural(alerts, "alert")}</a>`;
  const more = rest > 0 ? html`<p><a href="${links.changes({ night: stretch.upTo })}">and ${count(rest)} more</a></p>` : "";
  return html`<section><h2>What changed last night <a class="more" href="${links.changes()}">all changes</a></h2>
<p>${all.length === 0 ? "Nothing changed" : changed} ${range}${alertLink}</p>
${newest === undefined ? "" : gapNote(newest, (await gapNotes(archive, [newest])).get(newest.ledgerVersion), links)}
${shown.length === 0 ? "" : changeList(shown, stretch.upTo, links)}${more}</section>`;
}

const HOUR_MS = 3_600_000;
/** How near to an end of the line, in percent, the horizon's words begin or end at it. */
const NEAR_END = 20;

/** The line reaches so many of the node's windows back, at most: over years of snapshots the window would be a dot at its end. */
const WINDOWS = 3n;

/**
 * A node's readable window as a line: what is gone, what will be gone in a day, what stays, and where snapshots of the
 * archive stand in it; those that are older than the line are counted at its beginning.
 */
export function horizonView(forecast: HorizonForecast | undefined, held: readonly bigint[], now: number): Html {
  if (forecast === undefined) return nothing("No node has been asked lately, so nothing is known of its horizon.");
  const { latest, oldest, lowest } = forecast;
  const [soon, day] = [forecast.prunedBy(now + 3 * HOUR_MS), forecast.prunedBy(now + 24 * HOUR_MS)];
  const since = now > latest.sampledAt ? ` ${formatDuration(now - latest.sampledAt)} ago` : "";
  const others = lowest < oldest ? " Nodes with different windows answer there; the shortest counts." : "";
  const inADay = day === undefined ? "" : dayText(oldest, day);
  return html`<p class="lead">${sentence(forecast, soon?.expected, now)}</p>
${line(oldest, latest.headVersion, day?.expected, held)}
<p class="dim small">${forecast.node} said so${since}.${others}${inADay}</p>`;
}

function dayText(oldest: bigint, { expected, worst }: Estimate<bigint>): string {
  const atWorst = worst > expected ? `, at worst below ${count(worst)}` : "";
  if (expected <= oldest) return ` In a day, no more of them are expected to be gone${atWorst}.`;
  return ` In a day, versions below ${count(expected)} are gone${atWorst}.`;
}

function sentence({ oldest, speed }: HorizonForecast, soon: bigint | undefined, now: number): Html {
  if (speed === undefined || soon === undefined)
    return html`The node reads versions from <b class="num">${count(oldest)}</b> on. How fast that rises is not known yet.`;
  if (speed === 0) return html`The node reads versions from <b class="num">${count(oldest)}</b> on, and that has not moved lately.`;
  const at = new Date(now + 3 * HOUR_MS).toISOString();
  const when = html`<time datetime="${at}">in 3 h</time>`;
  return html`Versions below <b class="num">${count(soon)}</b> are gone ${when}; the horizon rises ${paceText(speed)}.`;
}

/** A pace in the unit in which it is a number that one can picture. */
function paceText(perSecond: number): string {
  if (perSecond >= 10) return `${count(Math.round(perSecond))} versions a second`;
  if (perSecond >= 1) return `${perSecond.toFixed(1)} versions a second`;
  return `${count(Math.round(perSecond * 3600))} versions an hour`;
}

function line(oldest: bigint, head: bigint, gone: bigint | undefined, held: readonly bigint[]): Html {
  const least = held.reduce((lowest, version) => (version < lowest ? version : lowest), oldest);
  const reach = head - WINDOWS * (head - oldest);
  const first = least > reach ? least : reach;
  const older = held.filter((version) => version < first).length;
  const span = head - first;
  if (span <= 0n) return html``;
  const x = (version: bigint): number =>
    Number((((version < first ? first : version > head ? head : version) - first) * 10_000n) / span) / 100;
  const ticks = [...new Set(held.filter((version) => version >= first).map((version) => x(version).toFixed(1)))].map(
    (at) => html`<line x1="${at}%" x2="${at}%" y1="20" y2="40" class="held"/>`,
  );
  const edge = x(oldest);
  const doomed =
    gone === undefined || gone <= oldest
      ? ""
      : html`<rect class="doomed" x="${edge}%" y="26" width="${Math.max(0.2, x(gone) - edge)}%" height="8"/>`;
  const anchor = edge < NEAR_END ? "start" : edge > 100 - NEAR_END ? "end" : "middle";
  const [from, to] = [count(first), count(head)];
  const shown = `${plural(held.length - older, "snapshot")} held between ${from} and ${to}${older > 0 ? `, ${count(older)} below` : ""}`;
  const label = `Readable at the node: versions ${count(oldest)} to ${to}. ${shown}.`;
  return html`<svg class="horizon" role="img" aria-label="${label}">
<rect class="gone" x="0" y="26" width="${edge}%" height="8"/>
<rect class="readable" x="${edge}%" y="26" width="${100 - edge}%" height="8"/>${doomed}${ticks}
<line class="edge" x1="${edge}%" x2="${edge}%" y1="14" y2="44"/>
<text x="${edge}%" y="10" text-anchor="${anchor}">horizon ${count(oldest)}</text>
<text x="0" y="57">${older > 0 ? `← ${plural(older, "older snapshot")}` : from}</text>
<text x="100%" y="57" text-anchor="end">${to}</text></svg>`;
}
