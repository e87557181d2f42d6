import { formatBytes, grouped, plural } from "../../../core/base/plural.ts";
import { formatDuration } from "../../../core/base/time.ts";
import { type ArchiveTotals, type SnapshotCounts, sealedAmong, statusQueries } from "../../../core/db/archive/read/status-queries.ts";
import { runQueries } from "../../../core/work/runs/runs.ts";
import { changeQueries } from "../../changes/judge/changes.ts";
import { type Html, html, type Part } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { type Estimate, type HorizonForecast, storedForecasts } from "../../horizon/horizon-forecast.ts";
import { nothing } from "../../pages/html/elements.ts";
import { madeAt, moment, num } from "../../pages/html/texts.ts";
import { chainName } from "../../pages/layout.ts";
import type { PageHandler } from "../../pages/page.ts";
import type { PageArchive } from "../../pages/page-archive.ts";
import { deliveryQueries } from "../../watch/alerts/deliveries.ts";
import { alertsOf, lastNight } from "../../watch/alerts/last-night.ts";
import { changeList, severityWords } from "../changes/changes-page.ts";
import { countBySeverity, entriesOf, wantedOf } from "../changes/entries.ts";
import { gapNote } from "../coverage/gaps-page.ts";
import { growthView } from "./charts.ts";
import { nightsStrip } from "./nights.ts";

/** Entries that are shown. */
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
${await growthView(engine, sealed, links)}`;
  return { title: "", section: "home", body };
};

function heldSentence(
  { snapshots, oldestSnapshot: oldest, newestSnapshot: last }: ArchiveTotals,
  newest: SnapshotCounts | undefined,
  now: number,
): Html {
  if (newest === undefined || last === null)
    return html`<p class="lead">No sealed snapshot yet; <code>movedex sync</code> makes the first.</p>`;
  const span = oldest === last || oldest === null ? html`at version ${num(last)}` : html`from version ${num(oldest)} to ${num(last)}`;
  const made = newest.ledgerTime !== null && html`, made by the ledger${madeAt(newest)}`;
  const when = newest.sealedAt ? html`, the newest sealed ${moment(newest.sealedAt, now)}` : "";
  return html`<p class="lead">${plural(snapshots, "sealed snapshot")} ${span}${made}${when}.</p>`;
}

function figures({ accounts, bytecodes, bytecodeBytes, functions, structs, gaps, undecodedBytecodes }: ArchiveTotals, links: Links): Html {
  const figure = (value: number, words: Part): Html => html`<div><dt>${words}</dt><dd>${grouped(value)}</dd></div>`;
  const all = [
    figure(accounts, html`<a href="${links.coverage()}">accounts</a>`),
    figure(bytecodes, `bytecodes, ${formatBytes(bytecodeBytes)}`),
    figure(functions, "functions"),
    figure(structs, "structs"),
    figure(gaps, html`<a href="${links.gaps()}">gaps</a>`),
    undecodedBytecodes > 0 && figure(undecodedBytecodes, "not decoded"),
  ];
  return html`<dl class="figures">${all}</dl>`;
}

async function lastNightSection(archive: PageArchive, sealed: readonly SnapshotCounts[], links: Links): Promise<Html> {
  const stretch = lastNight(sealed);
  const [newest] = sealed;
  if (newest === undefined) return html``;
  if (stretch.after < 0n)
    return html`<section><h2>What changed</h2>${nothing("One snapshot is held: there is nothing to compare it with yet.")}</section>`;
  const all = await changeQueries(archive.engine).listModuleChanges(stretch);
  // Where very many were never judged, the rest is for the next visitors.
  const weighed = await wantedOf(archive.engine, stretch, (await archive.weighChanges(all, stretch, newest.gaps)).weighed);
  const left = all.length - weighed.length;
  const alerts = await deliveryQueries(archive.engine).countAlerts(alertsOf(sealed, stretch));
  const shown = entriesOf(weighed, false).slice(0, SHOWN);
  const rest = all.length - shown.reduce((sum, { total }) => sum + total, 0);
  const at = (version: bigint): Html => html`${grouped(version)}${madeAt(sealed.find(({ ledgerVersion }) => ledgerVersion === version))}`;
  const counts = html`${severityWords(countBySeverity(weighed))}${left > 0 && `, ${grouped(left)} not weighed yet`}`;
  const changed = all.length === 0 ? "Nothing changed" : html`${plural(all.length, "module changed", "modules changed")}: ${counts}`;
  return html`<section><h2>What changed last night <a class="more" href="${links.changes()}">all changes</a></h2>
<p>${changed} <span class="dim small">between versions ${at(stretch.after)} and ${at(stretch.upTo)}</span>
${alerts > 0 && html` · <a href="${links.changes({ watched: 1 })}">${plural(alerts, "alert")}</a>`}</p>
${await gapNote(archive, newest, links)}
${shown.length > 0 && (await changeList(archive, shown, stretch.upTo, links))}
${rest > 0 && html`<p><a href="${links.changes({ night: stretch.upTo })}">and ${grouped(rest)} more</a></p>`}</section>`;
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
function horizonView(forecast: HorizonForecast | undefined, held: readonly bigint[], now: number): Html {
  if (forecast === undefined) return nothing("No node has been asked lately, so nothing is known of its horizon.");
  const { latest, oldest, lowest } = forecast;
  const [soon, day] = [forecast.prunedBy(now + 3 * HOUR_MS), forecast.prunedBy(now + 24 * HOUR_MS)];
  const since = now > latest.sampledAt ? ` ${formatDuration(now - latest.sampledAt)} ago` : "";
  const others = lowest < oldest ? " Nodes with different windows answer there; the shortest counts." : "";
  const isPast = forecast.isPast(now);
  const inADay = day === undefined || isPast ? "" : dayText(oldest, day);
  const past = html`By now the node has pruned all that it had when it was last asked: its horizon rose ${paceText(forecast.speed ?? 0)}.`;
  return html`<p class="lead">${isPast ? past : sentence(forecast, soon?.expected, now)}</p>
${line(oldest, latest.headVersion, day?.expected, held)}
<p class="dim small">${forecast.node} said so${since}.${others}${inADay}</p>`;
}

function dayText(oldest: bigint, { expected, worst }: Estimate<bigint>): string {
  const atWorst = worst > expected ? `, at worst below ${grouped(worst)}` : "";
  if (expected <= oldest) return ` In a day, no more of them are expected to be gone${atWorst}.`;
  return ` In a day, versions below ${grouped(expected)} are gone${atWorst}.`;
}

function sentence({ oldest, speed }: HorizonForecast, soon: bigint | undefined, now: number): Html {
  const from = html`The node reads versions from <b class="num">${grouped(oldest)}</b> on`;
  if (speed === undefined || soon === undefined) return html`${from}. How fast that rises is not known yet.`;
  if (speed === 0) return html`${from}, and that has not moved lately.`;
  const when = html`<time datetime="${new Date(now + 3 * HOUR_MS).toISOString()}">in 3 h</time>`;
  return html`Versions below <b class="num">${grouped(soon)}</b> are gone ${when}; the horizon rises ${paceText(speed)}.`;
}

/** A pace in the unit in which it is a number that one can picture. */
function paceText(perSecond: number): string {
  if (perSecond >= 10) return `${grouped(Math.round(perSecond))} versions a second`;
  return perSecond >= 1 ? `${perSecond.toFixed(1)} versions a second` : `${grouped(Math.round(perSecond * 3600))} versions an hour`;
}

function line(oldest: bigint, head: bigint, gone: bigint | undefined, held: readonly bigint[]): Html {
  const least = held.reduce((lowest, version) => (version < lowest ? version : lowest), oldest);
  const reach = head - WINDOWS * (head - oldest);
  const first = least > reach ? least : reach;
  const span = head - first;
  if (span <= 0n) return html``;
  const [older, shown] = [held.filter((version) => version < first).length, held.filter((version) => version >= first)];
  // Percent of the line, to a hundredth.
  const x = (version: bigint): number => Math.min(100, Number(((version - first) * 10_000n) / span) / 100);
  const upright = (at: number | string, kind: string, from: number, to: number): Html =>
    html`<line x1="${at}%" x2="${at}%" y1="${from}" y2="${to}" class="${kind}"/>`;
  const stripe = (kind: string, from: number, width: number): Html =>
    html`<rect class="${kind}" x="${from}%" y="26" width="${width}%" height="8"/>`;
  const edge = x(oldest);
  const doomed = gone !== undefined && gone > oldest && stripe("doomed", edge, Math.max(0.2, x(gone) - edge));
  const ticks = [...new Set(shown.map((version) => x(version).toFixed(1)))].map((at) => upright(at, "held", 20, 40));
  const anchor = edge < NEAR_END ? "start" : edge > 100 - NEAR_END ? "end" : "middle";
  const [from, to] = [grouped(first), grouped(head)];
  const words = `${plural(shown.length, "snapshot")} held between ${from} and ${to}${older > 0 ? `, ${grouped(older)} below` : ""}`;
  return html`<svg class="horizon" role="img" aria-label="Readable at the node: versions ${grouped(oldest)} to ${to}. ${words}.">
${stripe("gone", 0, edge)}${stripe("readable", edge, 100 - edge)}${doomed}${ticks}${upright(edge, "edge", 14, 44)}
<text x="${edge}%" y="10" text-anchor="${anchor}">horizon ${grouped(oldest)}</text>
<text x="0" y="57">${older > 0 ? `← ${plural(older, "older snapshot")}` : from}</text>
<text x="100%" y="57" text-anchor="end">${to}</text></svg>`;
}
