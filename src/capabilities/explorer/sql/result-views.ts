import { parseU64 } from "../../../core/base/numbers.ts";
import { printable } from "../../../core/base/printable.ts";
import { parseAddress } from "../../../core/move/address.ts";
import { isIdentifier } from "../../../core/move/module-id.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { lineThrough } from "../../pages/html/elements.ts";

/** Characters of a cell that are shown. */
const CELL_MAX = 400;
/** Characters from which a cell keeps a width of its own on a narrow screen, where a hash would stand in a column of letters. */
const WIDE = 40;

/** Columns of the views that name an account, and the module that stands beside each. */
const MODULES: Readonly<Record<string, string>> = { address: "module", other_address: "other_module", used_address: "used_module" };
const VERSIONS: ReadonlySet<string> = new Set(["ledger_version", "after_version", "at_or_before_version", "first_version", "last_version"]);

/** The cells of rows, those that name an account, a module, an item or a version as links to it. */
export function cellsOf(columns: readonly string[], rows: readonly (readonly string[])[], links: Links): Html[][] {
  const place = new Map(columns.map((name, i) => [name.toLowerCase(), i]));
  // Rows of functions and of structs call what they have `name`, as other rows do; what stands beside it tells.
  const itemColumn = place.has("visibility") || place.has("has_key") ? "name" : undefined;
  return rows.map((row) => {
    const value = (name: string): string => row[place.get(name) ?? -1] ?? "";
    const hrefs = new Map<number, string>();
    const link = (name: string, href: string): void => {
      const at = place.get(name);
      if (at !== undefined) hrefs.set(at, href);
    };
    const at = place.has("ledger_version") ? parseU64(value("ledger_version")) : undefined;
    for (const [column, beside] of Object.entries(MODULES)) {
      const address = parseAddress(value(column));
      if (address === undefined) continue;
      link(column, links.account(address));
      const name = value(beside);
      if (!isIdentifier(name)) continue;
      link(beside, links.module({ address, name }, { at }));
      const item =
        column === "address" ? (["function", "struct", "item"].find((one) => isIdentifier(value(one))) ?? itemColumn) : undefined;
      if (item !== undefined && isIdentifier(value(item))) link(item, links.item({ address, name }, value(item), { at }));
    }
    for (const name of VERSIONS) {
      const version = parseU64(value(name));
      if (version !== undefined) link(name, links.changes({ night: version }));
    }
    return row.map((cell, i) => shownCell(cell, hrefs.get(i)));
  });
}

function shownCell(cell: string, href: string | undefined): Html {
  const words = printable(cell, CELL_MAX);
  const kind = /^-?\d+(?:\.\d+)?$/.test(cell) ? "num" : cell.length > WIDE ? "mono wide-cell" : "mono";
  return href === undefined ? html`<span class="${kind}">${words}</span>` : html`<a class="${kind}" href="${href}">${words}</a>`;
}

export const chartKinds = ["bar", "line"] as const;
const DRAWN = { bar: 60, line: 1000 } as const;
const [WIDTH, HEIGHT, ROW] = [800, 240, 34];

type Point = { readonly name: string; readonly shown: string; readonly value: number };

/** An answer as a drawing: the first column's words beside the last column of numbers; nothing where there is none. */
export function resultChart(kind: (typeof chartKinds)[number], columns: readonly string[], rows: readonly (readonly string[])[]): Html {
  const drawn = rows.slice(0, DRAWN[kind]);
  const isNumeric = (i: number): boolean =>
    drawn.some((row) => isNumber(row[i])) && drawn.every((row) => isNumber(row[i]) || row[i] === "");
  const column = columns.findLastIndex((_, i) => i > 0 && isNumeric(i));
  if (column < 0) return html`<p class="notice">A chart needs a first column of words or versions, and a column of numbers after it.</p>`;
  const points = drawn
    .filter((row) => isNumber(row[column]))
    .map((row): Point => ({ name: printable(row[0] ?? "", 60), shown: row[column] as string, value: Number(row[column]) }));
  const values = points.map(({ value }) => value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const share = (value: number): number => (value - low) / (high - low || 1);
  const label = `${printable(columns[column] ?? "", 60)} by ${printable(columns[0] ?? "", 60)}`;
  const rest = rows.length > drawn.length && `, the first ${drawn.length} of ${rows.length} rows`;
  return html`<figure class="chart">${(kind === "bar" ? bars : line)(points, share, label)}
<figcaption class="small dim">${label}${rest}</figcaption></figure>`;
}

function bars(points: readonly Point[], share: (value: number) => number, label: string): Html {
  const zero = share(0);
  const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;
  // A name stands above its bar: beside it, a long one would leave a phone no room for the bar.
  const rows = points.map(({ name, shown, value }, i) => {
    const [x, width] = [Math.min(zero, share(value)), Math.max(0.002, Math.abs(share(value) - zero))];
    return html`<g><title>${name}: ${shown}</title>
<text y="${i * ROW + 13}"><tspan class="dim">${name}</tspan><tspan dx="8">${shown}</tspan></text>
<rect x="${percent(x)}" y="${i * ROW + 19}" width="${percent(width)}" height="10"/></g>`;
  });
  return html`<svg height="${Math.max(1, points.length) * ROW}" role="img" aria-label="${label}">${rows}</svg>`;
}

function line(points: readonly Point[], share: (value: number) => number, label: string): Html {
  const y = (value: number): number => (1 - share(value)) * HEIGHT;
  const drawing = lineThrough(
    points.map(({ value }) => value),
    WIDTH,
    y,
  );
  const zero = y(0).toFixed(1);
  const end = (point: Point | undefined): Html => html`<span>${point?.name ?? ""}: ${point?.shown ?? ""}</span>`;
  return html`<svg class="line" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
${drawing}<line x1="0" x2="${WIDTH}" y1="${zero}" y2="${zero}"/></svg>
<p class="ends small mono">${end(points[0])}${end(points.at(-1))}</p>`;
}

function isNumber(cell: string | undefined): boolean {
  return cell !== undefined && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(cell);
}
