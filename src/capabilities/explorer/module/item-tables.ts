import { type FunctionAbi, isExposed, type StructAbi } from "../../../core/abi/model.ts";
import { formatSignature, formatStructHead } from "../../../core/abi/print/signature.ts";
import { compare } from "../../../core/base/lists.ts";
import { grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { printedModule } from "../../../core/questions/resolve-module.ts";
import { flag, type Html, html, type Part } from "../../changes/pages/html.ts";
import { findError } from "../../effects/abort-codes.ts";
import type { Fact } from "../../effects/fact.ts";
import { ModuleEffects } from "../../effects/module-effects.ts";
import { functionsOf } from "../../effects/module-functions.ts";
import { foldedTable, heading, nothing, table } from "../../pages/html/elements.ts";
import { shortName, versionText } from "../../pages/html/texts.ts";
import type { ShownModule } from "./shown-module.ts";
import { isAnchor } from "./source-html.ts";

/** Items of a list that show before the rest is folded, errors of a function that are named, and versions looked at. */
const [LISTED, ERRORS_NAMED, VERSIONS_MAX] = [12, 3, 60];
/** Functions that show before others unfold: with the links around them at most 120 stops of the Tab key. And items of a kind on a page. */
const [FUNCTIONS_SHOWN, ITEMS] = [60, 500];

/** The module's error codes as they come out of an abort, and what each means; folded where there are many. */
export function errorTable(of: ShownModule): Html {
  const { printed, id, links, at } = of;
  const errors = printed?.abi.errors ?? [];
  const { shown, isNext, next } = pageOf(of, errors, "errors", "error code", ({ code }) => String(code));
  const rows = shown.map(({ code, name, description }) => [
    html`<span class="num">${code}</span>`,
    named("error", name, links.error(id, code, { at })),
    printable(description, 500),
  ]);
  const codes = html`<div class="narrow">${table("Error codes", ["Code", "Name", "Meaning"], rows)}${next}</div>`;
  const head = html`<h2 id="errors">Error codes <span class="dim">${grouped(errors.length)}</span></h2>`;
  return foldedPart(head, "Codes, names and meanings", shown, codes, isNext);
}

/** The items of a kind that are on the page: those after the one that its address names; and a link to those that follow. */
function pageOf<T>(of: ShownModule, items: readonly T[], kind: "after" | "structs" | "errors", noun: string, keyOf: (item: T) => string) {
  const { call, id, links, at } = of;
  const first = items.findIndex((item) => keyOf(item) === call.query(kind)) + 1;
  const shown = items.slice(first, first + ITEMS);
  const [rest, last] = [items.length - first - shown.length, shown.at(-1)];
  const values = { at, all: call.query("all"), show: call.query("show"), [kind]: last && keyOf(last) };
  const href = links.module(id, values, kind === "after" ? undefined : kind);
  const next = rest > 0 && html`<p><a href="${href}">Next: ${grouped(rest)} more of ${plural(items.length, noun)}</a></p>`;
  return { shown, isNext: first > 0, next };
}

/** A part of the page that is folded where it has many entries; nothing where it has none. */
function foldedPart(head: Html, summary: string, entries: readonly unknown[], list: Html, isOpen: boolean): Html {
  if (entries.length === 0) return html``;
  return html`${head}
<details${flag("open", isOpen || entries.length <= LISTED)}><summary>${summary}</summary>${list}</details>`;
}

/** A name that leads to its own page, and that links lead to. */
function named(kind: "error" | ItemKey, name: string, href: string): Html {
  const anchor = `${kind}.${name}`;
  return html`<a class="mono" href="${href}"${isAnchor(anchor) && html` id="${anchor}"`}>${shortName(name, 60)}</a>`;
}

type ItemKey = "fun" | "struct";

/** The functions of a module, those that transactions call first, then views, then what other modules call; its structs and enums. */
export async function itemTables(of: ShownModule, all: boolean): Promise<Html> {
  const { functions, structs } = printedModule(of.content).abi;
  const callable = functions.filter((fn) => all || isExposed(fn)).toSorted((a, b) => rank(a) - rank(b));
  const { shown, next } = pageOf(of, callable, "after", "function", (fn) => fn.name);
  const page = pageOf(of, structs, "structs", "struct", (struct) => struct.name);
  const [errors, sinces] = [errorsReached(of, shown), await itemsSince(of)];
  const name = (kind: ItemKey, item: string): Html => named(kind, item, of.links.item(of.id, item, { at: of.at }));
  const since = (kind: ItemKey, item: string): Html => {
    const first = sinces.get(`${kind}.${item}`);
    return html`${first !== undefined && html`<span class="num" title="${versionText(first, of.times)}">${grouped(first)}</span>`}`;
  };
  const functionRow = (fn: FunctionAbi): Part[] => {
    const raised = errors.get(fn.name) ?? [];
    const more = raised.length - ERRORS_NAMED;
    const names = raised.slice(0, ERRORS_NAMED).map((error) => html`<span class="part mono small">${shortName(error, 26)}</span> `);
    const declaration = html`<code class="small dim wide-cell">${printable(declarationOf(fn), 600)}</code>`;
    return [
      html`${name("fun", fn.name)} <br>${declaration}`,
      fn.isEntry ? "entry" : "",
      fn.isView ? "view" : "",
      since("fun", fn.name),
      html`${names}${more > 0 && html`<span class="dim small part">and ${more} more</span>`}`,
    ];
  };
  const structRow = (struct: StructAbi): Part[] => [
    name("struct", struct.name),
    html`<code>${printable(formatStructHead(struct), 300)}</code>`,
    struct.isEvent ? "event" : "",
    since("struct", struct.name),
  ];
  const heads = ["Function and signature", "Entry", "View", "Since", "Aborts with"];
  const listed = foldedTable("Functions", heads, shown.map(functionRow), { shown: FUNCTIONS_SHOWN, rest: "more functions" });
  const structTable = table("Structs and enums", ["Name", "Declaration", "Event", "Since"], page.shown.map(structRow));
  const head = html`<h2 id="structs">Structs and enums <span class="dim">${grouped(structs.length)}</span></h2>`;
  return html`${heading("Functions", callable.length)}${shown.length === 0 ? nothing("No function that can be called.") : listed}
${next}
${foldedPart(head, "Names and abilities", page.shown, html`${structTable}${page.next}`, page.isNext)}`;
}

function rank({ isEntry, isView, visibility }: FunctionAbi): number {
  return isEntry ? 0 : isView ? 1 : visibility === "public" ? 2 : visibility === "friend" ? 3 : 4;
}

/** A declaration without what stands in columns of its own: `(&signer, u64): u64`, `friend (u64)`. */
function declarationOf(fn: FunctionAbi): string {
  const [, rest = ""] = /\bfun [\w$]+(.*)$/s.exec(formatSignature(fn)) ?? [];
  const visibility = fn.visibility === "public" || fn.isEntry ? "" : `${fn.visibility} `;
  return `${visibility}${rest}`;
}

/** Reads what a function does with all that it calls in its module: nothing where that is more than can be followed. */
export function factsReader(id: ModuleId, functions: ReadonlyMap<string, FunctionCode>): (name: string) => readonly Fact[] {
  const effects = new ModuleEffects(id, functions);
  return (name) => ifDecodable(() => effects.facts(name)) ?? [];
}

/** The abort codes among facts, in order. */
export function abortCodes(facts: readonly Fact[]): bigint[] {
  return facts.flatMap(({ code }) => code ?? []).sort(compare);
}

/** The names of the errors that each of some functions raises or reaches in the module; empty where that cannot be followed. */
function errorsReached({ content }: ShownModule, wanted: readonly FunctionAbi[]): ReadonlyMap<string, readonly string[]> {
  const functions = functionsOf(content);
  if (content.kind !== "decoded" || functions === undefined) return new Map();
  const { abi } = content.module;
  const factsOf = factsReader(abi, functions);
  const nameOf = (code: bigint): string => findError(abi.errors, code)?.error?.name ?? `0x${code.toString(16)}`;
  return new Map(wanted.map(({ name }) => [name, abortCodes(factsOf(name)).map(nameOf)]));
}

/** Since which version each item has been there without a break, as far as the module's newest versions tell. */
async function itemsSince({ call, history, shown }: ShownModule): Promise<ReadonlyMap<string, bigint>> {
  const since = new Map<string, bigint>();
  for (const span of history.filter(({ from }) => from <= shown.module.from).slice(-VERSIONS_MAX)) {
    const content = await call.archive.modules.content(span);
    if (content.kind !== "decoded") continue;
    const { functions, structs } = content.module.abi;
    const items = new Set([...functions.map(({ name }) => `fun.${name}`), ...structs.map(({ name }) => `struct.${name}`)]);
    for (const item of since.keys()) if (!items.has(item)) since.delete(item);
    for (const item of items) if (!since.has(item)) since.set(item, span.from);
  }
  return since;
}
