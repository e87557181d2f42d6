import { audienceMeanings, audiences, type Severity } from "../../../core/abi/compare/severity.ts";
import { flag, type Html, html, type Part } from "../../../core/base/html.ts";
import { plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { aboutTime, formatDuration } from "../../../core/base/time.ts";
import type { MadeAt } from "../../../core/db/archive/times/ledger-times.ts";
import type { Address } from "../../../core/move/address.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import type { Links } from "../../../core/questions/page-links.ts";

/** A whole number with its thousands parted. */
export function count(value: number | bigint): string {
  return value.toLocaleString("en-US");
}

/** A text that begins with a capital letter. */
export function capital(words: string): string {
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** An address as it is printed where there is little room: `0x1`, `0x8f1a…c02d`. */
export function shortAddress(address: string): string {
  return address.length <= 18 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;
}

/** A name where there is little room; the whole of it is in the title. */
export function shortName(name: string, limit = 48): string {
  return name.length <= limit ? name : `${name.slice(0, limit - 9)}…${name.slice(-8)}`;
}

export function accountLink(links: Links, address: Address, at?: bigint): Html {
  return html`<a class="mono" href="${links.account(address, { at })}" title="${address}">${shortAddress(address)}</a>`;
}

/** A module as a link, its account before it unless that is clear. */
export function moduleLink(links: Links, id: ModuleId, options: { readonly at?: bigint; readonly isBare?: boolean } = {}): Html {
  const { at, isBare = false } = options;
  const account = isBare ? "" : html`<span class="dim">${shortAddress(id.address)}::</span>`;
  return html`<a class="mono" href="${links.module(id, { at })}" title="${id.address}::${id.name}">${account}${shortName(id.name)}</a>`;
}

/** A moment, with the time that has passed since. */
export function moment(ms: number, now: number): Html {
  const iso = new Date(ms).toISOString();
  const words = ms === 0 ? "" : now >= ms ? `${formatDuration(now - ms)} ago` : `in ${formatDuration(ms - now)}`;
  return html`<time datetime="${iso}" title="${iso}">${words === "" ? iso.slice(0, 10) : words}</time>`;
}

/** A moment as date and time of the day, UTC. */
export function dateTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace("T", " ");
}

/** The ledger's own time of a version or change; how exact that is, in its title. */
export function madeAt(made: MadeAt | undefined): Html {
  const { ledgerTime, ledgerTimeErrorMs } = made ?? { ledgerTime: null, ledgerTimeErrorMs: null };
  const words = aboutTime(ledgerTime, ledgerTimeErrorMs);
  if (ledgerTime === null || words === undefined) return html``;
  const iso = new Date(ledgerTime).toISOString();
  return html` <time class="dim small" datetime="${iso}" title="by the ledger's clock: ${words}">${dateTime(ledgerTime)}</time>`;
}

/** At which version a page shows something. */
export function atVersion(version: bigint, made?: MadeAt): Html {
  return html`At version <span class="num">${count(version)}</span>${madeAt(made)}`;
}

/** How much was looked through for users. */
export function lookedFor({ accounts, gaps }: { readonly accounts: number; readonly gaps: number }): Html {
  const missing = gaps === 0 ? "" : ` and not in ${count(gaps)} that gave no answer`;
  return html`Looked for in ${plural(accounts, "account")} read at this version${missing}; others are not known.`;
}

/** When versions were made, as far as it is known. */
export type Times = ReadonlyMap<bigint, MadeAt>;

/** A version for a menu: its number, and the day on which the ledger made it. */
export function versionText(version: bigint, times: Times): string {
  const time = times.get(version)?.ledgerTime;
  return time == null ? count(version) : `${count(version)} · ${dateTime(time).slice(0, 10)}`;
}

/** A severity as a small label, always with its word. */
export function severityLabel(severity: Severity): Html {
  return html`<span class="tag ${severity}">${severity}</span>`;
}

/** A table that scrolls by itself where a screen is too narrow. `caption` is read out by screen readers. */
export function table(
  caption: string,
  heads: readonly Part[],
  rows: readonly (readonly Part[])[],
  style: "plain" | "sortable" | "plan" = "plain",
): Html {
  const isNumeric = heads.map((_, column) => rows.length > 0 && rows.every((cells) => isNumber(cells[column])));
  const right = (column: number): Html => (isNumeric[column] ? html` class="r"` : html``);
  const head = heads.map((words, i) => html`<th scope="col"${right(i)}>${words}</th>`);
  const body = rows.map(
    (cells) => html`<tr>${cells.map((cell, i) => html`<td${right(i)}>${typeof cell === "string" ? textCell(cell) : cell}</td>`)}</tr>
`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table class="${style}">
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

/** Source in a box that scrolls by itself. `label` is read out by screen readers; `id` names the source on its page. */
export function sourceBox(label: string, source: Part, id?: string): Html {
  const named = id === undefined ? "" : html` id="${id}"`;
  return html`<div class="source" tabindex="0" role="region" aria-label="${label}"><pre${named}>${source}</pre></div>`;
}

/** A list of which the first entries show and the rest unfolds; `rest` says what it is, as in `more`. */
export function folded<T>(all: readonly T[], shown: number, listOf: (some: readonly T[], isRest: boolean) => Html, rest = "more"): Html {
  const hidden = all.slice(shown);
  const unfolding = html`<details><summary>${hidden.length} ${rest}</summary>${listOf(hidden, true)}</details>`;
  return html`${listOf(all.slice(0, shown), false)}${hidden.length === 0 ? "" : unfolding}`;
}

/** A step to the version before or after; without an address there is none. */
export function stepButton(words: string, rel: string, href: string | undefined): Html {
  return href === undefined
    ? html`<span class="button off" aria-disabled="true">${words}</span>`
    : html`<a class="button" rel="${rel}" href="${href}">${words}</a>`;
}

/** A choice among views of the same: the one that is shown stands out. */
export function tabButton(href: string, words: string, isNow = false): Html {
  return html`<a class="button" href="${href}"${isNow ? html` aria-current="true"` : ""}>${words}</a> `;
}

/** What to read where there is nothing to show. */
export function nothing(words: Part): Html {
  return html`<p class="nothing">${words}</p>`;
}

/** A sentence in which `backquotes` stand around what is typed, as code. */
export function prose(sentence: string): Html {
  return html`${sentence.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}

/** A text of a stranger, cut to a length. */
export function text(value: string, limit = 300): string {
  return printable(value, limit);
}

/** A choice in a form: each option's value with its words. */
export function choice(name: string, options: readonly (readonly [value: string, words: string])[], chosen: string | undefined): Html {
  const entries = options.map(([value, words]) => html`<option value="${value}"${flag("selected", value === chosen)}>${words}</option>`);
  return html`<select name="${name}">${entries}</select>`;
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
