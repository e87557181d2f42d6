import type { VersionRange } from "../../archive/read/changes.ts";
import type { StandingStretch } from "../../archive/read/growth.ts";
import type { SnapshotCounts } from "../../archive/read/status-queries.ts";
import type { RunRecord } from "../../work/runs/runs.ts";
import type { Store } from "../../work/store.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, dateTime } from "../html/texts.ts";
import type { PageArchive } from "../page-archive.ts";
import { DATED_MS } from "./nights.ts";

/** Nights of a chart, and runs that are looked through for their requests. */
const [NIGHTS, RUNS] = [60, 500];
const [WIDTH, HEIGHT, TOP] = [300, 90, 14];

type NightNumbers = {
  readonly version: bigint;
  readonly day: string;
  readonly modules: number;
  readonly functions: number;
  readonly changes: number;
  readonly breaking: number;
  readonly requests: number;
};

/** How the archive grew over the last nights and what each changed and asked for, as drawings and as a table; nothing of a single night. */
export async function growthView({ store }: PageArchive, sealed: readonly SnapshotCounts[], links: Links): Promise<Html> {
  const shown = sealed.slice(0, NIGHTS).toReversed();
  const [first] = shown;
  const last = shown.at(-1);
  if (first === undefined || last === undefined || shown.length < 2) return html``;
  const before = sealed[NIGHTS]?.ledgerVersion ?? first.ledgerVersion - 1n;
  const { standing, changes } = await rememberedGrowth(store, sealed, {
    after: before,
    first: first.ledgerVersion,
    upTo: last.ledgerVersion,
  });
  const requests = requestsByNight(await store.listRuns(RUNS), shown);
  const nights = shown.map((snapshot): NightNumbers => {
    const of = changes.get(snapshot.ledgerVersion) ?? [];
    const sum = (some: typeof of): number => some.reduce((total, one) => total + one.changes, 0);
    return {
      version: snapshot.ledgerVersion,
      day: dayOf(snapshot),
      ...standingAt(standing, snapshot.ledgerVersion),
      changes: sum(of),
      breaking: sum(of.filter(({ severity }) => severity === "breaking")),
      requests: requests.get(snapshot.ledgerVersion) ?? 0,
    };
  });
  const unjudged = shown.flatMap(({ ledgerVersion }) => changes.get(ledgerVersion) ?? []).filter(({ severity }) => severity === null);
  const waiting = unjudged.reduce((total, one) => total + one.changes, 0);
  const values = (name: "modules" | "functions" | "changes" | "breaking" | "requests"): number[] => nights.map((night) => night[name]);
  const ends: [string, string] = [nights[0]?.day ?? "", nights.at(-1)?.day ?? ""];
  return html`<section><h2>Night by night</h2><div class="charts">${lineChart("modules", values("modules"), ends)}${lineChart("functions", values("functions"), ends)}${barChart("changes a night", values("changes"), ends, { values: values("breaking"), waiting })}${requests.size === 0 ? "" : barChart("requests a night", values("requests"), ends)}</div>
<details class="small"><summary>The same as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Nights in numbers"><table><thead><tr><th scope="col">snapshot</th><th scope="col">day</th><th scope="col" class="num">modules</th><th scope="col" class="num">functions</th><th scope="col" class="num">changes</th><th scope="col" class="num">breaking</th><th scope="col" class="num">requests</th></tr></thead><tbody>${nights
    .toReversed()
    .map(
      ({ version, day, modules, functions, changes, breaking, requests }) =>
        html`<tr><td><a class="num" href="${links.changes({ night: version })}">${count(version)}</a></td><td>${day}</td>${[modules, functions, changes, breaking, requests].map((n) => html`<td class="num">${count(n)}</td>`)}</tr>`,
    )}</tbody></table></div></details></section>`;
}

type Growth = {
  readonly standing: readonly StandingStretch[];
  readonly changes: ReadonlyMap<bigint, readonly { readonly severity: string | null; readonly changes: number }[]>;
};
const remembered = new WeakMap<Store, { readonly key: string; readonly growth: Growth; readonly isJudged: boolean }>();

/** It looks at all that stood, once until a snapshot is sealed; changes are asked for again while some are not judged. */
async function rememberedGrowth(
  store: Store,
  sealed: readonly SnapshotCounts[],
  { after, first, upTo }: VersionRange & { readonly first: bigint },
): Promise<Growth> {
  const key = sealed.map(({ ledgerVersion, digest }) => `${ledgerVersion} ${digest}`).join();
  const last = remembered.get(store);
  const known = last?.key === key ? last : undefined;
  if (known?.isJudged) return known.growth;
  const found = await store.changesByNight({ after, upTo });
  const growth = {
    standing: known?.growth.standing ?? (await store.standingSince(first)),
    changes: Map.groupBy(found, ({ version }) => version),
  };
  remembered.set(store, { key, growth, isJudged: found.every(({ severity }) => severity !== null) });
  return growth;
}

function standingAt(standing: readonly StandingStretch[], version: bigint): Pick<NightNumbers, "modules" | "functions"> {
  const there = standing.filter(({ from, to }) => from <= version && (to === null || to >= version));
  const sum = (name: "modules" | "functions"): number => there.reduce((total, one) => total + one[name], 0);
  return { modules: sum("modules"), functions: sum("functions") };
}

/** Requests of all runs, each counted to the snapshot that it worked at, or was nearest to in time. */
function requestsByNight(runs: readonly RunRecord[], nights: readonly SnapshotCounts[]): ReadonlyMap<bigint, number> {
  const found = new Map<bigint, number>();
  const distance = ({ sealedAt, createdAt }: SnapshotCounts, at: number): number => Math.abs((sealedAt ?? createdAt) - at);
  const [first] = nights;
  for (const { ledger_version, started_at, requests } of runs) {
    if (requests === null || first === undefined || started_at < first.createdAt - 86_400_000) continue;
    const own = nights.find(({ ledgerVersion }) => ledger_version !== null && ledgerVersion === BigInt(ledger_version));
    const night = own ?? nights.reduce((a, b) => (distance(b, started_at) < distance(a, started_at) ? b : a), first);
    found.set(night.ledgerVersion, (found.get(night.ledgerVersion) ?? 0) + requests);
  }
  return found;
}

function dayOf({ ledgerTime, ledgerVersion, createdAt }: SnapshotCounts): string {
  const at = ledgerTime ?? createdAt;
  return at < DATED_MS ? count(ledgerVersion) : dateTime(at).slice(0, 10);
}

function x(i: number, nights: number): string {
  return ((i / Math.max(1, nights - 1)) * WIDTH).toFixed(1);
}

function lineChart(name: string, values: readonly number[], ends: readonly [string, string]): Html {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const y = (value: number): string =>
    (most === least ? HEIGHT / 2 : TOP + (1 - (value - least) / (most - least)) * (HEIGHT - TOP - 4)).toFixed(1);
  const points = values.map((value, i) => `${x(i, values.length)},${y(value)}`).join(" ");
  const [from, to] = [values[0] ?? 0, values.at(-1) ?? 0];
  const grown = to === from ? "unchanged" : `${to > from ? "+" : "−"}${count(Math.abs(to - from))}`;
  const words = `${name}: from ${count(from)} (${ends[0]}) to ${count(to)} (${ends[1]})`;
  return figure(name, `${count(to)}, ${grown}`, ends, words, html`<polyline points="${points}"/>`);
}

/** The part of each bar that is breaking, and how many of all nobody has judged yet. */
type Breaking = { readonly values: readonly number[]; readonly waiting: number };

/** Bars; what is breaking of each stands at its foot. */
function barChart(name: string, values: readonly number[], ends: readonly [string, string], part?: Breaking): Html {
  const most = Math.max(1, ...values);
  const width = Math.max(1, (WIDTH / values.length) * 0.8);
  const height = (value: number): number => (value === 0 ? 0 : Math.max(1.5, (value / most) * (HEIGHT - TOP)));
  const bar = (value: number, i: number, kind: string): Html =>
    value === 0
      ? html``
      : html`<rect class="${kind}" x="${((i / values.length) * WIDTH).toFixed(1)}" width="${width.toFixed(1)}" y="${(HEIGHT - height(value)).toFixed(1)}" height="${height(value).toFixed(1)}"/>`;
  const total = values.reduce((sum, value) => sum + value, 0);
  const worst = part?.values.reduce((sum, value) => sum + value, 0) ?? 0;
  const waiting = part === undefined || part.waiting === 0 ? "" : `, ${count(part.waiting)} not judged yet`;
  const breaking = (worst === 0 ? "" : `, ${count(worst)} breaking`) + waiting;
  const words = `${name}: ${count(total)} in ${values.length} nights${breaking}, at most ${count(Math.max(...values))} in one`;
  const bars = html`${values.map((value, i) => bar(value, i, "all"))}${part?.values.map((value, i) => bar(value, i, "worst"))}`;
  return figure(name, `${count(total)} in ${values.length} nights${breaking}`, ends, words, bars);
}

function figure(name: string, value: string, [from, to]: readonly [string, string], words: string, drawing: Html): Html {
  return html`<figure><figcaption>${name} <span class="dim">${value}</span></figcaption><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">${drawing}</svg><p class="ends dim small" aria-hidden="true"><span>${from}</span><span>${to}</span></p></figure>`;
}
