import { grouped } from "../../../core/base/plural.ts";
import { audienceMeanings, audiences, type Severity } from "../../changes/compare/severity.ts";
import { flag, type Html, html, type Part } from "../../changes/pages/html.ts";
import { capital, type Times, versionText } from "./texts.ts";

/** A heading with the number of what stands below it. */
export function heading(title: string, amount: number | string): Html {
  return html`<h2>${title} <span class="dim">${typeof amount === "number" ? grouped(amount) : amount}</span></h2>`;
}

/** A severity as a small label, always with its word. */
export function severityLabel(severity: Severity | undefined): Html {
  return severity === undefined ? html`<span class="tag unknown">unclear</span>` : html`<span class="tag ${severity}">${severity}</span>`;
}

/** What to read where there is nothing to show. */
export function nothing(words: Part): Html {
  return html`<p class="nothing">${words}</p>`;
}

type TableOptions = { readonly isSortable?: boolean; readonly none?: Part };
type Rows = readonly (readonly Part[])[];

/** A table that scrolls by itself where a screen is too narrow, or `none`. `caption` is read out by screen readers. */
export function table(caption: string, heads: readonly Part[], rows: Rows, { isSortable = false, none }: TableOptions = {}): Html {
  if (none !== undefined && rows.length === 0) return nothing(none);
  const isNumeric = heads.map((_, column) => rows.length > 0 && rows.every((cells) => isNumber(cells[column])));
  const right = (column: number): Html => (isNumeric[column] ? html` class="r"` : html``);
  const head = heads.map((words, i) => html`<th scope="col"${right(i)}>${words}</th>`);
  const body = rows.map(
    (cells) => html`<tr>${cells.map((cell, i) => html`<td${right(i)}>${typeof cell === "string" ? textCell(cell) : cell}</td>`)}</tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${isSortable ? "sortable" : "plain"}">
<thead><tr>${head}</tr></thead>
<tbody>${body}</tbody></table></div>`;
}

/** Letters of a text that stands on one line, and of one that gets room: a table scrolls rather than break words or pile them up. */
const [SHORT, LONG] = [20, 40];

function textCell(words: string): Part {
  if (words === "") return words;
  return html`<span class="${words.length <= SHORT ? "short-cell" : words.length <= LONG ? "mid-cell" : "wide-cell"}">${words}</span>`;
}

/** Whether a cell is a number alone, or nothing: such columns stand at the right, digit under digit. */
function isNumber(cell: Part): boolean {
  return (
    cell === "" ||
    (typeof cell === "object" && cell !== null && "text" in cell && /^<(a|span) class="(?:num|amount)"[^>]*>[^<]*<\/\1>$/.test(cell.text))
  );
}

/** A list of which the first entries show and the rest unfolds; `rest` says what it is, as in `more`. */
function folded<T>(all: readonly T[], shown: number, listOf: (some: readonly T[], isRest: boolean) => Html, rest = "more"): Html {
  const hidden = all.slice(shown);
  const words = hidden.length === 1 ? rest.replace(/s$/, "") : rest;
  const unfolding = html`<details><summary>${hidden.length} ${words}</summary>${listOf(hidden, true)}</details>`;
  return html`${listOf(all.slice(0, shown), false)}${hidden.length === 0 ? "" : unfolding}`;
}

/** A table of which the first rows show; the others unfold as one that `rest` names, as in `more modules`. */
export function foldedTable(
  caption: string,
  heads: readonly Part[],
  rows: Rows,
  { shown, rest, ...options }: TableOptions & { readonly shown: number; readonly rest: string },
): Html {
  return folded(rows, shown, (some, isRest) => table(isRest ? capital(rest) : caption, heads, some, options), rest);
}

/** Items as a list, of which the first show. */
export function foldedItems(items: readonly Html[], shown: number): Html {
  return folded(items, shown, (some) => html`<ul>${some}</ul>`);
}

/** A timeline, of which the first entries show and the earlier ones unfold. */
export function timelineOf(items: readonly Html[], shown: number): Html {
  return folded(items, shown, (some) => html`<ol class="timeline">${some}</ol>`, "earlier");
}

/** Source in a box that scrolls by itself. `label` is read out by screen readers; `id` names the source on its page. */
export function sourceBox(label: string, source: Part, id?: string): Html {
  const named = id === undefined ? "" : html` id="${id}"`;
  return html`<div class="source" tabindex="0" role="region" aria-label="${label}"><pre${named}>${source}</pre></div>`;
}

/** A choice among views of the same: the one that is shown stands out. */
export function tabButton(href: string, words: string, isNow = false): Html {
  return html`<a class="button" href="${href}"${isNow ? html` aria-current="true"` : ""}>${words}</a> `;
}

/** Leads to the parts before and after the one that is shown; nothing where there is none. */
export function pager(...steps: readonly (readonly [words: string, href: string] | false)[]): Html {
  const buttons = steps.map((step) => step && html`<a class="button" href="${step[1]}">${step[0]}</a>`);
  return buttons.every((button) => button === false) ? html`` : html`<p class="pager">${buttons}</p>`;
}

type Steps = {
  /** What there are several of, with a capital letter, and where the one stands that is shown. */
  readonly label: string;
  readonly place: string;
  readonly older: string | undefined;
  readonly newer: string | undefined;
};

/** Where what a page shows stands among its versions, with the steps to those beside it; `forms` lead to any of them. */
export function versionSteps({ label, place, older, newer }: Steps, forms: Part): Html {
  const step = (words: string, rel: string, href: string | undefined): Html =>
    href === undefined
      ? html`<span class="button off" aria-disabled="true">${words}</span>`
      : html`<a class="button" rel="${rel}" href="${href}">${words}</a>`;
  return html`<nav class="versions" aria-label="${label}">${step("← Older", "prev", older)}${step("Newer →", "next", newer)}
<span class="dim small">${place}</span>${forms}</nav>`;
}

/** What the colours of a drawing mean, of which some are seen. */
export function legend<Kind extends string>(meanings: Readonly<Record<Kind, string>>, seen: ReadonlySet<Kind>): Html {
  const keys = (Object.keys(meanings) as Kind[]).filter((kind) => seen.has(kind));
  return html`<p class="legend">${keys.map((kind) => html`<span class="key ${kind}">${meanings[kind]}</span>`)}</p>`;
}

/** A choice in a form: each option's value with its words. */
export function choice(name: string, options: readonly (readonly [value: string, words: string])[], chosen: string | undefined): Html {
  const entries = options.map(([value, words]) => html`<option value="${value}"${flag("selected", value === chosen)}>${words}</option>`);
  return html`<select name="${name}">${entries}</select>`;
}

/** A choice among versions, as they are given. */
export function versionChoice(name: string, versions: readonly bigint[], times: Times, chosen: bigint | undefined): Html {
  const options = versions.map((version) => [`${version}`, versionText(version, times)] as const);
  return choice(name, options, `${chosen}`);
}

export function audienceChoice(chosen: string | undefined): Html {
  const options = audiences.map((one) => [one, `${one}: ${audienceMeanings[one]}`] as const);
  return html`<label>For${choice("audience", [["", "everybody"], ...options], chosen)}</label>`;
}

export function checkbox(name: string, words: string, isChecked: boolean): Html {
  return html`<label class="box"><input type="checkbox" name="${name}" value="1"${flag("checked", isChecked)}>${words}</label>`;
}

export function accountField(value: string | undefined): Html {
  return html`<label>Account<input name="account" value="${value ?? ""}" placeholder="0x1" maxlength="66" spellcheck="false"></label>`;
}

/** A value that a form sends along. */
export function hidden(name: string, value: string | bigint | undefined): Html {
  return value === undefined ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;
}

/** A line through values, the first at the left and the last at the right of a drawing; `y` places each, downwards from the top. */
export function lineThrough(values: readonly number[], width: number, y: (value: number) => number): Html {
  const step = width / Math.max(1, values.length - 1);
  return html`<polyline points="${values.map((value, i) => `${(i * step).toFixed(1)},${y(value).toFixed(1)}`).join(" ")}"/>`;
}

/** Neighbours that have something in common, as one stretch each, with what it is. */
export function stretches<T, Key>(items: readonly T[], keyOf: (item: T, place: number) => Key): (readonly [key: Key, items: T[]])[] {
  const found: (readonly [Key, T[]])[] = [];
  for (const [place, item] of items.entries()) {
    const key = keyOf(item, place);
    const last = found.at(-1);
    if (last !== undefined && last[0] === key) last[1].push(item);
    else found.push([key, [item]]);
  }
  return found;
}
