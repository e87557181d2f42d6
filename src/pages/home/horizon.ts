import { plural } from "../../base/plural.ts";
import { formatDuration } from "../../base/time/duration.ts";
import type { HorizonForecast } from "../../crawl/horizon/horizon-forecast.ts";
import { type Html, html } from "../html/html.ts";
import { count, nothing } from "../html/texts.ts";

const HOUR_MS = 3_600_000;
const WIDTH = 1000;

/** The line reaches so many of the node's windows back, at most: over years of snapshots the window would be a dot at its end. */
const WINDOWS = 3n;

/**
 * A node's readable window as a line: what is gone, what will be gone in a day, what stays, and where snapshots of the
 * archive stand in it; those that are older than the line are counted at its beginning.
 */
export function horizonView(forecast: HorizonForecast | undefined, held: readonly bigint[], now: number): Html {
  if (forecast === undefined) return nothing("No node has been asked lately, so nothing is known of its horizon.");
  const { latest, oldest } = forecast;
  // A version that does not exist yet cannot be gone, however fast the horizon has been.
  const upTo = (version: bigint): bigint => (version > latest.headVersion ? latest.headVersion : version);
  const goneBy = (hours: number): { readonly expected: bigint; readonly worst: bigint } | undefined => {
    const gone = forecast.goneBy(now + hours * HOUR_MS);
    return gone === undefined ? undefined : { expected: upTo(gone.expected), worst: upTo(gone.worst) };
  };
  const [soon, day] = [goneBy(3), goneBy(24)];
  return html`<p class="lead">${sentence(forecast, soon?.expected, now)}</p>
${line(oldest, latest.headVersion, day?.expected, held)}
<p class="dim small">${forecast.node} said so ${formatDuration(Math.max(0, now - latest.atMs))} ago.${forecast.nodes > 1 ? ` ${forecast.nodes} nodes with different windows answer there; the shortest counts.` : ""}${day === undefined ? "" : `${dayText(oldest, day)}`}</p>`;
}

function dayText(oldest: bigint, { expected, worst }: { readonly expected: bigint; readonly worst: bigint }): string {
  const atWorst = worst > expected ? `, at worst below ${count(worst)}` : "";
  if (expected <= oldest) return ` In a day, no more of them are expected to be gone${atWorst}.`;
  return ` In a day, versions below ${count(expected)} are gone${atWorst}.`;
}

function sentence({ oldest, speed }: HorizonForecast, soon: bigint | undefined, now: number): Html {
  if (speed === undefined || soon === undefined)
    return html`The node reads versions from <b class="num">${count(oldest)}</b> on. How fast that rises is not known yet.`;
  if (speed.sustained === 0)
    return html`The node reads versions from <b class="num">${count(oldest)}</b> on, and that has not moved lately.`;
  const at = new Date(now + 3 * HOUR_MS).toISOString();
  return html`Versions below <b class="num">${count(soon)}</b> are gone <time datetime="${at}">in 3 h</time>; the horizon rises ${paceText(speed.average)}.`;
}

/** A pace in the unit in which it is a number that one can picture. */
function paceText(perSecond: number): string {
  if (perSecond >= 1) return `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} versions a second`;
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
    Number((((version < first ? first : version > head ? head : version) - first) * 10_000n) / span) * (WIDTH / 10_000);
  const ticks = [...new Set(held.filter((version) => version >= first).map((version) => x(version).toFixed(1)))].map(
    (at) => html`<line x1="${at}" x2="${at}" y1="6" y2="26" class="held"/>`,
  );
  const doomed =
    gone === undefined || gone <= oldest
      ? ""
      : html`<rect class="doomed" x="${x(oldest)}" y="12" width="${Math.max(2, x(gone) - x(oldest))}" height="8"/>`;
  return html`<svg class="horizon" viewBox="0 0 ${WIDTH} 46" role="img" aria-label="${`Readable at the node: versions ${count(oldest)} to ${count(head)}. ${plural(held.length - older, "snapshot")} held between ${count(first)} and ${count(head)}${older > 0 ? `, ${count(older)} below` : ""}.`}">
<rect class="gone" x="0" y="12" width="${x(oldest)}" height="8"/><rect class="readable" x="${x(oldest)}" y="12" width="${WIDTH - x(oldest)}" height="8"/>${doomed}${ticks}
<line class="edge" x1="${x(oldest)}" x2="${x(oldest)}" y1="2" y2="30"/>
<text x="0" y="43">${older > 0 ? `← ${plural(older, "older snapshot")}` : count(first)}</text><text x="${WIDTH}" y="43" text-anchor="end">${count(head)}</text>${x(oldest) > 240 && x(oldest) < WIDTH - 180 ? html`<text x="${x(oldest)}" y="43" text-anchor="middle">horizon ${count(oldest)}</text>` : ""}</svg>`;
}
