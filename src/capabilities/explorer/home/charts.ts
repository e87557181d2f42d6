import { memoize } from "../../../core/base/async.ts";
import { grouped } from "../../../core/base/plural.ts";
import type { SnapshotCounts } from "../../../core/db/archive/read/status-queries.ts";
import type { Engine } from "../../../core/db/engine/engine.ts";
import { orNull, rowOf, text, version, whole } from "../../../core/db/engine/row-shape.ts";
import { sql } from "../../../core/db/schema/sql/sql.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { judgedChangeRows } from "../../changes/views.ts";
import { lineThrough, table } from "../../pages/html/elements.ts";
import { dateTime, nightLink, num } from "../../pages/html/texts.ts";

const NIGHTS = 60;
const [WIDTH, HEIGHT, TOP] = [300, 90, 14];

const figures = ["modules", "functions", "changes", "breaking"] as const;

const sizeSpan = rowOf({
  from: version("s.from_version"),
  /** Null while it lasts. */
  to: orNull(version("s.to_version")),
  modules: whole("CAST(sum(l.modules) AS bigint)"),
  functions: whole("CAST(coalesce(sum(z.functions), 0) AS bigint)"),
});
const sizes = sql`WITH sizes AS (SELECT m.listing_id, count(*) AS functions
    FROM _listing_modules m JOIN _bytecodes b ON b.id = m.bytecode_id
    JOIN _abi_functions f ON f.abi_id = b.abi_id GROUP BY m.listing_id)
  SELECT ${sizeSpan.columns} FROM _listing_spans s JOIN _listings l ON l.id = s.listing_id LEFT JOIN sizes z ON z.listing_id = s.listing_id
  WHERE s.to_version IS NULL OR s.to_version >= :since GROUP BY s.from_version, s.to_version`;
/** How many changes of a severity (null: not judged yet) a snapshot showed. */
const shownChanges = rowOf({ version: version("ledger_version"), severity: orNull(text("severity")), changes: whole("count(*)") });
const byNight = sql`SELECT ${shownChanges.columns} FROM (${judgedChangeRows}) changes
  WHERE ledger_version > :after AND ledger_version <= :upTo GROUP BY ledger_version, severity`;

/** What stood at or after a version, by the stretch over which it did: it looks at all of it, once until a snapshot is sealed. */
const rememberedSizes = memoize(
  1,
  (_engine: Engine, sealed: readonly SnapshotCounts[], _since: bigint) => sealed.map((one) => `${one.ledgerVersion} ${one.digest}`).join(),
  (engine, _sealed, since) => sizeSpan.all(engine, sizes, { since }),
);

/** How the archive grew over the last nights and what each changed, as drawings and as a table; nothing of a single night. */
export async function growthView(engine: Engine, sealed: readonly SnapshotCounts[], links: Links): Promise<Html> {
  const shown = sealed.slice(0, NIGHTS).toReversed();
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined || first === last) return html``;
  const after = sealed[NIGHTS]?.ledgerVersion ?? first.ledgerVersion - 1n;
  const spans = await rememberedSizes(engine, sealed, first.ledgerVersion);
  const changes = await shownChanges.all(engine, byNight, { after, upTo: last.ledgerVersion });
  const nights = shown.map((snapshot) => {
    const { ledgerVersion: at } = snapshot;
    const stood = spans.filter(({ from, to }) => from <= at && (to === null || to >= at));
    const changed = changes.filter(({ version }) => version === at);
    return {
      version: at,
      day: dayOf(snapshot),
      modules: sum(stood.map(({ modules }) => modules)),
      functions: sum(stood.map(({ functions }) => functions)),
      changes: sum(changed.map(({ changes }) => changes)),
      breaking: sum(changed.map(({ severity, changes }) => (severity === "breaking" ? changes : 0))),
    };
  });
  const waiting = sum(changes.map(({ severity, changes }) => (severity === null ? changes : 0)));
  const values = (name: (typeof figures)[number]): number[] => nights.map((night) => night[name]);
  const rows = nights.toReversed().map((night) => [nightLink(links, night.version), night.day, ...figures.map((name) => num(night[name]))]);
  const ends: Ends = [nights[0]?.day ?? "", nights.at(-1)?.day ?? ""];
  const charts = [
    lineChart("modules", values("modules"), ends),
    lineChart("functions", values("functions"), ends),
    barChart("changes a night", values("changes"), ends, { breaking: values("breaking"), waiting }),
  ];
  return html`<section><h2>Night by night</h2><div class="charts">${charts}</div>
<details class="small"><summary>The same as a table</summary>
${table("Nights in numbers", ["snapshot", "day", "modules", "functions", "changes", "may break"], rows)}</details></section>`;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** On which day the ledger made it; where that is not known, which version it is. */
function dayOf({ ledgerTime, ledgerVersion }: SnapshotCounts): string {
  return ledgerTime === null ? grouped(ledgerVersion) : dateTime(ledgerTime).slice(0, 10);
}

/** The days, or the versions, of the first and of the last night. */
type Ends = readonly [from: string, to: string];

function lineChart(name: string, values: readonly number[], ends: Ends): Html {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const y = (value: number): number => (most === least ? HEIGHT / 2 : TOP + (1 - (value - least) / (most - least)) * (HEIGHT - TOP - 4));
  const [from, to] = [values[0] ?? 0, values.at(-1) ?? 0];
  const grown = to === from ? "unchanged" : `${to > from ? "+" : "−"}${grouped(Math.abs(to - from))}`;
  const words = `${name}: from ${grouped(from)} (${ends[0]}) to ${grouped(to)} (${ends[1]})`;
  return figure(name, `${grouped(to)}, ${grown}`, ends, words, lineThrough(values, WIDTH, y));
}

/** Bars. `breaking` of each stands at its foot; `waiting` of all nobody has judged yet. */
function barChart(
  name: string,
  values: readonly number[],
  ends: Ends,
  { breaking, waiting }: Readonly<{ breaking: readonly number[]; waiting: number }>,
): Html {
  const most = Math.max(1, ...values);
  const width = Math.max(1, (WIDTH / values.length) * 0.8).toFixed(1);
  const bar = (kind: string) => (value: number, i: number) => {
    const height = Math.max(1.5, (value / most) * (HEIGHT - TOP));
    const [x, y] = [(i / values.length) * WIDTH, HEIGHT - height].map((place) => place.toFixed(1));
    return value > 0 && html`<rect class="${kind}" x="${x}" width="${width}" y="${y}" height="${height.toFixed(1)}"/>`;
  };
  const worst = sum(breaking) === 0 ? "" : `, ${grouped(sum(breaking))} may break`;
  const words = `${grouped(sum(values))} in ${values.length} nights${worst}${waiting === 0 ? "" : `, ${grouped(waiting)} not judged yet`}`;
  const bars = html`${values.map(bar("all"))}${breaking.map(bar("worst"))}`;
  return figure(name, words, ends, `${name}: ${words}, at most ${grouped(Math.max(...values))} in one`, bars);
}

function figure(name: string, value: string, [from, to]: Ends, words: string, drawing: Html): Html {
  return html`<figure><figcaption>${name} <span class="dim">${value}</span></figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${words}">${drawing}</svg>
<p class="ends dim small" aria-hidden="true"><span>${from}</span><span>${to}</span></p></figure>`;
}
