import { findError } from "../../../core/abi/abort/abort-codes.ts";
import type { Fact } from "../../../core/abi/effects/fact.ts";
import { ModuleEffects } from "../../../core/abi/effects/module-effects.ts";
import { type FunctionAbi, isExposed, type ModuleAbi, type StructAbi } from "../../../core/abi/model.ts";
import { formatSignature, formatStructHead } from "../../../core/abi/print/signature.ts";
import { flag, type Html, html } from "../../../core/base/html.ts";
import { compare } from "../../../core/base/sorted.ts";
import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import type { ModuleChange } from "../../../core/db/archive/read/changes.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import type { StoredModule } from "../../../core/db/archive/read/module-queries.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { functionsOf } from "../../../core/questions/item/item-history.ts";
import type { Links } from "../../../core/questions/page-links.ts";
import { choice, count, folded, hidden, madeAt, shortName, stepButton, type Times, table, text, versionText } from "../html/texts.ts";
import { isAnchor } from "./source-html.ts";

export function changeTo(span: StoredModule, changes: readonly ModuleChange[]): ModuleChange | undefined {
  return changes.find(
    ({ to, afterVersion, atOrBeforeVersion }) => to === span.sha256 && afterVersion < span.from && atOrBeforeVersion <= span.from,
  );
}

/** A module's versions, the oldest first, of which a page shows the current one. */
export type ModuleVersions = {
  readonly history: readonly StoredModule[];
  readonly changes: readonly ModuleChange[];
  readonly current: StoredModule;
  readonly links: Links;
  readonly times: Times;
};

/** Where the shown version of a module stands among those held: the one before and the one after, and a comparison with any other. */
export function versionLine({ history, current, links, times }: ModuleVersions, all: string | undefined): Html {
  const place = history.findIndex((span) => span.from === current.from);
  const step = (span: StoredModule | undefined, name: string, rel: string): Html =>
    stepButton(name, rel, span && links.module(span, { at: span.from, all }));
  const others = history.filter((span) => span !== history[place]).map((span) => [`${span.from}`, versionText(span.from, times)] as const);
  const form = html`<form action="${links.diff(current)}">${hidden("to", current.from)}
<label>What changed since ${choice("from", others.toReversed(), `${history[place - 1]?.from}`)}</label> <button>Compare</button></form>`;
  return html`<nav class="versions" aria-label="Versions held">${step(history[place - 1], "← Older", "prev")}
<span class="dim small">version ${place + 1} of ${history.length}</span>${step(history[place + 1], "Newer →", "next")}
${others.length === 0 ? "" : form}</nav>`;
}

/** The versions of a module, newest first: each a link to the module as it was, and to what changed. */
export function moduleTimeline({ history, changes, current, links, times }: ModuleVersions): Html {
  const newestFirst = history.toReversed();
  const item = (span: StoredModule, i: number): Html => {
    const before = newestFirst[i + 1];
    const change = changeTo(span, changes);
    const isCurrent = span.from === current.from;
    const name = html`<span class="num">${count(span.from)}</span>`;
    const what =
      change === undefined ? "first seen" : change.from === null ? "added" : change.abiChanged === false ? "code only" : "interface";
    const exact = change?.isExact === true ? html` <span class="dim small">exactly at ${count(change.atOrBeforeVersion)}</span>` : "";
    const made = madeAt(change ?? times.get(span.from));
    const compare =
      before === undefined || span.sha256 === before.sha256
        ? ""
        : html` · <a href="${links.diff(span, { from: before.from, to: span.from })}">compare</a>`;
    const version = isCurrent ? html`<b>${name}</b>` : html`<a href="${links.module(span, { at: span.from })}">${name}</a>`;
    const about = html`<span class="small"><span class="dim">${what}</span>${exact}${made}${compare}</span>`;
    return html`<li${isCurrent ? html` class="now"` : ""}>${version} ${about}</li>`;
  };
  return timelineOf(newestFirst.map(item), LISTED);
}

/** A timeline, of which the first entries show and the earlier ones unfold. */
export function timelineOf(items: readonly Html[], shown: number): Html {
  return folded(items, shown, (some) => html`<ol class="timeline">${some}</ol>`, "earlier");
}

/** Items of a list and versions that are shown before the rest is folded, errors of a function that are named, and versions looked at. */
const [LISTED, ERRORS_NAMED, VERSIONS_MAX] = [12, 3, 60];
/** Functions that show before the others unfold: with the links around them at most 120 stops of the Tab key. */
const FUNCTIONS_SHOWN = 60;

/** Where the items of a module lead. */
type ItemPages = { readonly item: (name: string) => string; readonly error: (code: bigint) => string };

/** The module's error codes as they come out of an abort, and what each means; folded where there are many. */
export function errorTable({ errors }: ModuleAbi, { error: pageOf }: ItemPages): Html {
  if (errors.length === 0) return html``;
  const rows = errors.map(({ code, name, description }) => [
    html`<span class="num">${code}</span>`,
    named(`error.${name}`, name, pageOf(code)),
    text(description, 500),
  ]);
  const codes = table("Error codes", ["Code", "Name", "Meaning"], rows);
  return html`<h2 id="errors">Error codes <span class="dim">${errors.length}</span></h2>
<details${flag("open", errors.length <= LISTED)}><summary>Codes, names and meanings</summary><div class="narrow">${codes}</div></details>`;
}

/** A name that leads to its own page, and that links lead to. */
function named(anchor: string, name: string, href: string): Html {
  return html`<a class="mono" href="${href}"${isAnchor(anchor) ? html` id="${anchor}"` : ""}>${shortName(name, 60)}</a>`;
}

/** What is said of items besides their declarations: their errors, and since when they are there. */
export type ItemFacts = {
  readonly errors: ReadonlyMap<string, readonly string[]>;
  readonly since: ReadonlyMap<string, bigint>;
  readonly times: Times;
};

/** The functions of a module: those that transactions call first, then views, then what other modules call. */
export function functionTable(functions: readonly FunctionAbi[], of: ItemFacts, { item }: ItemPages): Html {
  const rank = ({ isEntry, isView, visibility }: FunctionAbi): number =>
    isEntry ? 0 : isView ? 1 : visibility === "public" ? 2 : visibility === "friend" ? 3 : 4;
  const rows = functions
    .toSorted((a, b) => rank(a) - rank(b))
    .map((fn) => {
      const raised = of.errors.get(fn.name) ?? [];
      const more = raised.length - ERRORS_NAMED;
      const names = raised.slice(0, ERRORS_NAMED).map((name) => html`<span class="part mono small">${shortName(name, 26)}</span> `);
      const declaration = html`<code class="small dim wide-cell">${text(declarationOf(fn), 600)}</code>`;
      return [
        html`${named(`fun.${fn.name}`, fn.name, item(fn.name))} <br>${declaration}`,
        fn.isEntry ? "entry" : "",
        fn.isView ? "view" : "",
        sinceCell(`fun.${fn.name}`, of),
        html`${names}${more > 0 ? html`<span class="dim small part">and ${more} more</span>` : ""}`,
      ];
    });
  const heads = ["Function and signature", "Entry", "View", "Since", "Aborts with"];
  return folded(rows, FUNCTIONS_SHOWN, (some, isRest) => table(isRest ? "More functions" : "Functions", heads, some), "more functions");
}

function sinceCell(anchor: string, { since, times }: ItemFacts): Html {
  const first = since.get(anchor);
  return first === undefined ? html`` : html`<span class="num" title="${versionText(first, times)}">${count(first)}</span>`;
}

/** A declaration without what stands in columns of its own: `(&signer, u64): u64`, `friend (u64)`. */
function declarationOf(fn: FunctionAbi): string {
  const [, rest = ""] = /\bfun [\w$]+(.*)$/s.exec(formatSignature(fn)) ?? [];
  const visibility = fn.visibility === "public" || fn.isEntry ? "" : `${fn.visibility} `;
  return `${visibility}${rest}`;
}

/** Structs and enums, each with its abilities. */
export function structList(structs: readonly StructAbi[], of: ItemFacts, { item }: ItemPages): Html {
  if (structs.length === 0) return html``;
  const rows = structs.map((struct) => [
    named(`struct.${struct.name}`, struct.name, item(struct.name)),
    html`<code>${text(formatStructHead(struct), 300)}</code>`,
    struct.isEvent ? "event" : "",
    sinceCell(`struct.${struct.name}`, of),
  ]);
  const list = table("Structs and enums", ["Name", "Declaration", "Event", "Since"], rows);
  return html`<h2>Structs and enums <span class="dim">${structs.length}</span></h2>
<details${flag("open", structs.length <= LISTED)}><summary>Names and abilities</summary>${list}</details>`;
}

/** Reads what a function does with all that it calls in its module: nothing where that is more than can be followed. */
export function factsReader(id: ModuleId, functions: ReadonlyMap<string, FunctionCode>): (name: string) => readonly Fact[] {
  const effects = new ModuleEffects(id, functions);
  return (name) => ifDecodable(() => [...(effects.of(name)?.facts.values() ?? [])].filter(({ isDead }) => !isDead)) ?? [];
}

/** The abort codes among facts, in order. */
export function abortCodes(facts: readonly Fact[]): bigint[] {
  return facts.flatMap(({ kind, name }) => (kind === "aborts" && name.startsWith("0x") ? [BigInt(name)] : [])).sort(compare);
}

/** The names of the errors that each function raises or reaches in the module; empty where that cannot be followed. */
export function errorsReached(content: StoredContent): ReadonlyMap<string, readonly string[]> {
  const functions = functionsOf(content);
  if (content.kind !== "decoded" || functions === undefined) return new Map();
  const { abi } = content.module;
  const factsOf = factsReader(abi, functions);
  const nameOf = (code: bigint): string => findError(abi.errors, code)?.error?.name ?? `0x${code.toString(16)}`;
  return new Map(abi.functions.map(({ name }) => [name, abortCodes(factsOf(name)).map(nameOf)]));
}

/** Since which version each item has been there without a break, by its anchor, as far as the module's newest versions tell. */
export async function itemsSince(
  archive: ModuleArchive,
  history: readonly StoredModule[],
  current: StoredModule,
): Promise<ReadonlyMap<string, bigint>> {
  const spans = history.filter(({ from }) => from <= current.from).slice(-VERSIONS_MAX);
  const since = new Map<string, bigint>();
  for (const span of spans) {
    const content = await archive.content(span);
    if (content.kind !== "decoded") continue;
    const { functions, structs } = content.module.abi;
    const items = new Set([...functions.map(({ name }) => `fun.${name}`), ...structs.map(({ name }) => `struct.${name}`)]);
    for (const item of since.keys()) if (!items.has(item)) since.delete(item);
    for (const item of items) if (!since.has(item)) since.set(item, span.from);
  }
  return since;
}

/** The functions of a module that are shown: private ones where they are asked for. */
export function shownFunctions({ functions }: ModuleAbi, all: boolean): readonly FunctionAbi[] {
  return functions.filter((fn) => all || isExposed(fn));
}
