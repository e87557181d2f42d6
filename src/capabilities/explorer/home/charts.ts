import { memoize } from "../../../core/base/async.ts";
import type { SnapshotCounts } from "../../../core/db/archive/read/status-queries.ts";
import type { Engine } from "../../../core/db/engine/engine.ts";
import { orNull, rowOf, text, version, whole } from "../../../core/db/engine/row-shape.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import type { VersionRange } from "../../changes/judge/changes.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { judgedChangeRows } from "../../changes/views.ts";
import { lineThrough, table } from "../../pages/html/elements.ts";
import { count, dateTime, nightLink, num } from "../../pages/html/texts.ts";
import { DATED_MS } from "./nights.ts";

const NIGHTS = 60;
const [WIDTH, HEIGHT, TOP] = [300, 90, 14];

const figures = ["modules", "functions", "changes", "breaking"] as const;
type NightNumbers = { readonly version: bigint; readonly day: string } & Readonly<Record<(typeof figures)[number], number>>;

/** How the archive grew over the last nights and what each changed, as drawings and as a table; nothing of a single night. */
export async function growthView(queries: GrowthQueries, sealed: readonly SnapshotCounts[], links: Links): Promise<Html> {
  const shown = sealed.slice(0, NIGHTS).toReversed();
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined || shown.length < 2) return html``;
  const after = sealed[NIGHTS]?.ledgerVersion ?? first.ledgerVersion - 1n;
  const sizes = await rememberedSizes(queries, sealed, first.ledgerVersion);
  const changes = await queries.changesByNight({ after, upTo: last.ledgerVersion });
  const nights = shown.map((snapshot): NightNumbers => {
    const { ledgerVersion: at } = snapshot;
    const stood = sizes.filter(({ from, to }) => from <= at && (to === null || to >= at));
    const changed = changes.filter(({ version }) => version === at);
    const breaking = changed.filter(({ severity }) => severity === "breaking");
    return {
      version: at,
      day: dayOf(snapshot),
      modules: sumOf(stood, "modules"),
      functions: sumOf(stood, "functions"),
      changes: sumOf(changed, "changes"),
      breaking: sumOf(breaking, "changes"),
    };
  });
  const unjudged = changes.filter(({ severity }) => severity === null);
  const values = (name: (typeof figures)[number]): number[] => nights.map((night) => night[name]);
  const rows = nights.toReversed().map((night) => [nightLink(links, night.version), night.day, ...figures.map((name) => num(night[name]))]);
  const ends: Ends = [nights[0]?.day ?? "", nights.at(-1)?.day ?? ""];
  const charts = [
    lineChart("modules", values("modules"), ends),
    lineChart("functions", values("functions"), ends),
    barChart("changes a night", values("changes"), ends, { breaking: values("breaking"), waiting: sumOf(unjudged, "changes") }),
  ];
  return html`<section><h2>Night by night</h2><div class="charts">${charts}</div>
<details class="small"><summary>The same as a table</summary>
${table("Nights in numbers", ["snapshot", "day", "modules", "functions", "changes", "may break"], rows)}</details></section>`;
}

function sumOf<Name extends string>(rows: readonly Readonly<Record<Name, number>>[], name: Name): number {
  return rows.reduce((total, row) => total + row[name], 0);
}

/** It looks at all that stood, once until a snapshot is sealed. */
const rememberedSizes = memoize(
  1,
  (_queries: GrowthQueries, sealed: readonly SnapshotCounts[], _first: bigint) =>
    sealed.map((one) => `${one.ledgerVersion} ${one.digest}`).join(),
  (queries, _sealed, first) => queries.sizesSince(first),
);

function dayOf({ ledgerTime, ledgerVersion, createdAt }: SnapshotCounts): string {
  const at = ledgerTime ?? createdAt;
  return at < DATED_MS ? count(ledgerVersion) : dateTime(at).slice(0, 10);
}

/** The days of the first and of the last night. */
type Ends = readonly [from: string, to: string];

function lineChart(name: string, values: readonly number[], ends: Ends): Html {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const y = (value: number): number => (most === least ? HEIGHT / 2 : TOP + (1 - (value - least) / (most - least)) * (HEIGHT - TOP - 4));
  const [from, to] = [values[0] ?? 0, values.at(-1) ?? 0];
  const grown = to === from ? "unchanged" : `${to > from ? "+" : "−"}${count(Math.abs(to - from))}`;
  const words = `${name}: from ${count(from)} (${ends[0]}) to ${count(to)} (${ends[1]})`;
  return figure(name, `${count(to)}, ${grown}`, ends, words, lineThrough(values, WIDTH, y));
}

/** Bars. `breaking` of each stands at its foot; `waiting` of all nobody has judged yet. */
function barChart(
  name: string,
  values: readonly number[],
  ends: Ends,
  { breaking, waiting }: { readonly breaking: readonly number[]; readonly waiting: number },
): Html {
  const most = Math.max(1, ...values);
  const width = Math.max(1, (WIDTH / values.length) * 0.8).toFixed(1);
  const bar = (kind: string) => (value: number, i: number) => {
    const height = Math.max(1.5, (value / most) * (HEIGHT - TOP));
    const [x, y] = [(i / values.length) * WIDTH, HEIGHT - height].map((place) => place.toFixed(1));
    return value > 0 && html`<rect class="${kind}" x="${x}" width="${width}" y="${y}" height="${height.toFixed(1)}"/>`;
  };
  const [total, worst] = [values, breaking].map((some) => some.reduce((sum, value) => sum + value, 0)) as [number, number];
  const parts = [worst === 0 ? "" : `, ${count(worst)} may break`, waiting === 0 ? "" : `, ${count(waiting)} not judged yet`];
  const sum = `${count(total)} in ${values.length} nights${parts.join("")}`;
  const bars = html`${values.map(bar("all"))}${breaking.map(bar("worst"))}`;
  return figure(name, sum, ends, `${name}: ${sum}, at most ${count(Math.max(...values))} in one`, bars);
}

function figure(name: string, value: string, [from, to]: Ends, words: string, drawing: Html): Html {
  return html`<figure><figcaption>${name} <span class="dim">${value}</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">${drawing}</svg>
<p class="ends dim small" aria-hidden="true"><span>${from}</span><span>${to}</span></p></figure>`;
}

const sizeSpan = rowOf({
  from: version("s.from_version"),
  to: orNull(version("s.to_version")),
  modules: whole("CAST(sum(l.modules) AS bigint)"),
  functions: whole("CAST(coalesce(sum(z.functions), 0) AS bigint)"),
});
const sizes = sql`WITH sizes AS (SELECT m.listing_id, count(*) AS functions
    FROM _listing_modules m JOIN _bytecodes b ON b.id = m.bytecode_id
    JOIN _abi_functions f ON f.abi_id = b.abi_id GROUP BY m.listing_id)
  SELECT ${sizeSpan.columns} FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id LEFT JOIN sizes z ON z.listing_id = s.listing_id
  WHERE s.to_version IS NULL OR s.to_version >= :since GROUP BY s.from_version, s.to_version`;
const night = rowOf({ version: version("ledger_version"), severity: orNull(text("severity")), changes: whole("count(*)") });
const byNight = sql`SELECT ${night.columns} FROM (${judgedChangeRows}) changes
  WHERE ledger_version > :after AND ledger_version <= :upTo GROUP BY ledger_version, severity`;

/** What the charts ask of an archive. */
type GrowthQueries = ReturnType<typeof growthQueries>;

export function growthQueries(engine: Engine) {
  return {
    /** The modules and functions that stood at or after a version, by the stretch (`to` is null while it lasts) over which they did. */
    sizesSince: (since: bigint) => sizeSpan.all(engine, sizes, { since }),
    /** How many changes of each severity (null: not judged yet) each snapshot of a stretch showed. */
    changesByNight: ({ after, upTo }: VersionRange) => night.all(engine, byNight, { after, upTo }),
  };
}
