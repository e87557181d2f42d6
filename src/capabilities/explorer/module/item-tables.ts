import type { FunctionAbi, StructAbi } from "../../../core/abi/model.ts";
import { formatSignature, formatStructHead } from "../../../core/abi/print/signature.ts";
import { compare } from "../../../core/base/sorted.ts";
import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { flag, type Html, html } from "../../changes/pages/html.ts";
import { findError } from "../../effects/abort-codes.ts";
import type { Fact } from "../../effects/fact.ts";
import { ModuleEffects } from "../../effects/module-effects.ts";
import { functionsOf } from "../../effects/module-functions.ts";
import { foldedTable, heading, table } from "../../pages/html/elements.ts";
import { count, shortName, text, versionText } from "../../pages/html/texts.ts";
import type { ShownModule } from "./shown-module.ts";
import { isAnchor } from "./source-html.ts";

/** Items of a list that show before the rest is folded, errors of a function that are named, and versions looked at. */
const [LISTED, ERRORS_NAMED, VERSIONS_MAX] = [12, 3, 60];
/** Functions that show before the others unfold: with the links around them at most 120 stops of the Tab key. */
const FUNCTIONS_SHOWN = 60;

/** The module's error codes as they come out of an abort, and what each means; folded where there are many. */
export function errorTable({ printed, id, links, at }: ShownModule): Html {
  const errors = printed?.abi.errors ?? [];
  if (errors.length === 0) return html``;
  const rows = errors.map(({ code, name, description }) => [
    html`<span class="num">${code}</span>`,
    named(`error.${name}`, name, links.error(id, code, { at })),
    text(description, 500),
  ]);
  const codes = table("Error codes", ["Code", "Name", "Meaning"], rows);
  return html`<h2 id="errors">Error codes <span class="dim">${errors.length}</span></h2>
<details${flag("open", errors.length <= LISTED)}><summary>Codes, names and meanings</summary><div class="narrow">${codes}</div></details>`;
}

/** A name that leads to its own page, and that links lead to. */
function named(anchor: string, name: string, href: string): Html {
  return html`<a class="mono" href="${href}"${isAnchor(anchor) && html` id="${anchor}"`}>${shortName(name, 60)}</a>`;
}

/** What is said of items besides their declarations: the errors of functions, and since when each item, by its anchor, is there. */
type ItemFacts = { readonly errors: ReadonlyMap<string, readonly string[]>; readonly since: ReadonlyMap<string, bigint> };

export async function itemFacts(of: ShownModule): Promise<ItemFacts> {
  return { errors: errorsReached(of.content), since: await itemsSince(of) };
}

/** The functions of a module: those that transactions call first, then views, then what other modules call. */
export function functionTable(functions: readonly FunctionAbi[], facts: ItemFacts, of: ShownModule): Html {
  const rank = ({ isEntry, isView, visibility }: FunctionAbi): number =>
    isEntry ? 0 : isView ? 1 : visibility === "public" ? 2 : visibility === "friend" ? 3 : 4;
  const rows = functions
    .toSorted((a, b) => rank(a) - rank(b))
    .map((fn) => {
      const raised = facts.errors.get(fn.name) ?? [];
      const more = raised.length - ERRORS_NAMED;
      const names = raised.slice(0, ERRORS_NAMED).map((name) => html`<span class="part mono small">${shortName(name, 26)}</span> `);
      const declaration = html`<code class="small dim wide-cell">${text(declarationOf(fn), 600)}</code>`;
      const anchor = `fun.${fn.name}`;
      return [
        html`${named(anchor, fn.name, of.links.item(of.id, fn.name, { at: of.at }))} <br>${declaration}`,
        fn.isEntry ? "entry" : "",
        fn.isView ? "view" : "",
        sinceCell(anchor, facts, of),
        html`${names}${more > 0 && html`<span class="dim small part">and ${more} more</span>`}`,
      ];
    });
  const heads = ["Function and signature", "Entry", "View", "Since", "Aborts with"];
  return foldedTable("Functions", heads, rows, { shown: FUNCTIONS_SHOWN, rest: "more functions" });
}

function sinceCell(anchor: string, { since }: ItemFacts, { times }: ShownModule): Html {
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
export function structList(structs: readonly StructAbi[], facts: ItemFacts, of: ShownModule): Html {
  if (structs.length === 0) return html``;
  const rows = structs.map((struct) => [
    named(`struct.${struct.name}`, struct.name, of.links.item(of.id, struct.name, { at: of.at })),
    html`<code>${text(formatStructHead(struct), 300)}</code>`,
    struct.isEvent ? "event" : "",
    sinceCell(`struct.${struct.name}`, facts, of),
  ]);
  const list = table("Structs and enums", ["Name", "Declaration", "Event", "Since"], rows);
  return html`${heading("Structs and enums", structs.length)}
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
function errorsReached(content: StoredContent): ItemFacts["errors"] {
  const functions = functionsOf(content);
  if (content.kind !== "decoded" || functions === undefined) return new Map();
  const { abi } = content.module;
  const factsOf = factsReader(abi, functions);
  const nameOf = (code: bigint): string => findError(abi.errors, code)?.error?.name ?? `0x${code.toString(16)}`;
  return new Map(abi.functions.map(({ name }) => [name, abortCodes(factsOf(name)).map(nameOf)]));
}

/** Since which version each item has been there without a break, as far as the module's newest versions tell. */
async function itemsSince({ call, history, shown }: ShownModule): Promise<ItemFacts["since"]> {
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
