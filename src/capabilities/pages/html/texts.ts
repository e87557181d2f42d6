import { grouped, plural } from "../../../core/base/plural.ts";
import { aboutTime, formatDuration } from "../../../core/base/time.ts";
import type { MadeAt } from "../../../core/db/archive/times/ledger-times.ts";
import type { Address } from "../../../core/move/address.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";

/** A whole number as digits of one width, its thousands parted; nothing where it is not known. */
export function num(value: number | bigint | null | undefined): Html {
  return html`<span class="num">${value == null ? "" : grouped(value)}</span>`;
}

/** An amount with its unit, as `4.9 kB`: in a table it stands at the right, as numbers do. */
export function amount(words: string): Html {
  return html`<span class="amount">${words}</span>`;
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
export function moduleLink(
  links: Links,
  id: ModuleId,
  options: { readonly at?: bigint | undefined; readonly isBare?: boolean } = {},
): Html {
  const { at, isBare = false } = options;
  const account = isBare ? "" : html`<span class="dim">${shortAddress(id.address)}::</span>`;
  return html`<a class="mono" href="${links.module(id, { at })}" title="${id.address}::${id.name}">${account}${shortName(id.name)}</a>`;
}

/** A snapshot's version as a link to what it showed. */
export function nightLink(links: Links, night: bigint): Html {
  return html`<a class="num" href="${links.changes({ night })}">${grouped(night)}</a>`;
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
export function atVersion(version: bigint, times: Times): Html {
  return html`At version ${num(version)}${madeAt(times.get(version))}`;
}

/** How much was looked through for users. */
export function lookedFor({ accounts, gaps }: { readonly accounts: number; readonly gaps: number }): Html {
  const missing = gaps === 0 ? "" : ` and not in ${grouped(gaps)} that gave no answer`;
  return html`Looked for in ${plural(accounts, "account")} read at this version${missing}; others are not known.`;
}

/** A sentence whose versions have their thousands parted. */
export function withParted(words: string): string {
  return words.replaceAll(/(?<=(?:version|nearest:|and) )\d+/g, (version) => grouped(BigInt(version)));
}

/** When versions were made, as far as it is known. */
export type Times = ReadonlyMap<bigint, MadeAt>;

/** A version for a menu: its number, and the day on which the ledger made it. */
export function versionText(version: bigint, times: Times): string {
  const time = times.get(version)?.ledgerTime;
  return time == null ? grouped(version) : `${grouped(version)} · ${dateTime(time).slice(0, 10)}`;
}

/** A sentence in which `backquotes` stand around what is typed, as code. */
export function prose(sentence: string): Html {
  return html`${sentence.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
