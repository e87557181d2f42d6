import type { FunctionAbi } from "../../../core/abi/model.ts";
import { grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { readChain } from "../../../core/db/archive/chain.ts";
import type { FunctionCode } from "../../../core/move/code/read-code.ts";
import { formatItemId, type ItemId, isIdentifier, isSameModule } from "../../../core/move/module-id.ts";
import { printedModule } from "../../../core/questions/resolve-module.ts";
import { flag, Html, html } from "../../changes/pages/html.ts";
import { abortCodeParts, findError } from "../../effects/abort-codes.ts";
import { type Fact, type FactKind, factText } from "../../effects/fact.ts";
import { bodiesOf, functionsOf } from "../../effects/module-functions.ts";
import { foldedItems, heading, sourceBox, table } from "../../pages/html/elements.ts";
import { shortAddress, shortName } from "../../pages/html/texts.ts";
import { itemQueries } from "../../search/item-uses.ts";
import { abortCodes, factsReader } from "../module/item-tables.ts";
import { linked, linkedSource, type ShownModule } from "../module/shown-module.ts";
import { callTexts } from "./call-texts.ts";

/** Lines of instructions that a page shows. */
const LINES_MAX = 3000;

/** The instructions of a function with links; nothing where it has none, or they cannot be read. */
export function instructions(of: ShownModule, { name }: FunctionAbi): Html {
  const bodyOf = of.content.kind === "decoded" ? bodiesOf(of.content, name) : undefined;
  if (bodyOf === undefined) return html`<p class="notice">The instructions cannot be read.</p>`;
  const all = bodyOf(name);
  if (all === undefined) return html`<p class="dim">A native function: the node itself implements it.</p>`;
  const lines = all.slice(0, LINES_MAX);
  const source = linkedSource(of, lines.join("\n"), { label: "Instructions", file: "bytecode.mv" });
  const rest = html`<p class="dim">The first ${grouped(LINES_MAX)} lines; <code>movedex show --code</code> has all.</p>`;
  return html`<details><summary>${plural(lines.length, "line")}</summary>${source}</details>${lines.length === LINES_MAX && rest}`;
}

/** Items that are listed at all, and before the rest is folded. */
export const LISTED_MAX = 200;
const OPEN = 12;

/**
 * Functions or structs as links under a heading, without the name of the page's own module; of more than `LISTED_MAX` it says so. `isHeld`
 * tells which of them have a page.
 */
export function itemList(
  title: string,
  items: readonly ItemId[],
  { id: own, links, at }: Pick<ShownModule, "id" | "links" | "at">,
  none: string,
  isHeld: ShownModule["isHeld"] = () => true,
): Html {
  const entries = items.slice(0, LISTED_MAX).map(({ module, name }) => {
    const account = module.address === own.address ? "" : `${shortAddress(module.address)}::`;
    const before = isSameModule(module, own) ? "" : html`<span class="dim">${account}${shortName(module.name, 30)}::</span><wbr>`;
    const path = html`${before}${shortName(name, 40)}`;
    return isHeld(module)
      ? html`<li><a class="mono" href="${links.item(module, name, { at })}">${path}</a></li>`
      : html`<li><span class="mono">${path}</span> <span class="dim small">not held</span></li>`;
  });
  const amount = items.length > LISTED_MAX ? `more than ${grouped(LISTED_MAX)}` : items.length;
  return html`${heading(title, amount)}${items.length === 0 ? html`<p class="small dim">${none}</p>` : foldedItems(entries, OPEN)}`;
}

/** What is said of each effect; calls and constants are shown otherwise. */
const effectWords: readonly (readonly [FactKind, string])[] = [
  ["reads", "Reads"],
  ["writes", "Writes"],
  ["moves", "Publishes or takes"],
  ["emits", "Emits"],
];

/** What stands in the middle of a function's page, and beside it. */
export async function functionParts(fn: FunctionAbi, of: ShownModule): Promise<{ readonly main: Html; readonly side: Html }> {
  const { id, version } = of;
  const { engine } = of.call.archive;
  const functions = functionsOf(of.content);
  const code = functions?.get(fn.name);
  const facts = functions === undefined ? [] : factsReader(id, functions)(fn.name);
  const callers = await itemQueries(engine).callersOf({ module: id, name: fn.name }, version, LISTED_MAX + 1);
  const main = html`${abortTable(facts, of)}${touched(facts, of)}${callView(of, fn, await readChain(engine))}`;
  const calledBy = itemList("Called by", callers, of, "No module that is held calls it by name.");
  return { main, side: html`${calledBy}${code && itemList("Calls", calleesOf(code), of, "Nothing.", of.isHeld)}` };
}

function calleesOf({ instructions }: FunctionCode): ItemId[] {
  const called = instructions.flatMap(({ reference }): ItemId[] =>
    reference?.kind === "function" ? [{ module: reference.handle.module, name: reference.handle.name }] : [],
  );
  return [...new Map(called.map((item) => [formatItemId(item), item])).values()];
}

function abortTable(facts: readonly Fact[], { content, id, links, at }: ShownModule): Html {
  const codes = abortCodes(facts);
  if (codes.length === 0) return html``;
  const { errors } = printedModule(content).abi;
  const rows = codes.map((one) => {
    const { category } = abortCodeParts(one);
    const error = findError(errors, one)?.error;
    const name = html`<a class="mono" href="${links.error(id, one, { at })}">${error ? shortName(error.name) : "who raises it"}</a>`;
    return [
      html`<span class="num">${one}</span> <span class="num dim part">0x${one.toString(16)}</span>`,
      html`${name}${category && html` <span class="dim small part">${category.name}</span>`}`,
      error === undefined ? html`<span class="dim">the module has no words for it</span>` : printable(error.description, 500),
    ];
  });
  return html`<h2>Aborts with</h2><div class="narrow">${table("Abort codes", ["Code", "Name", "Meaning"], rows)}</div>
<p class="small dim">Its own codes, and those of what it calls in its module. What it calls in others may abort too; a condition that is
not met in the VM has no code of a module.</p>`;
}

function touched(facts: readonly Fact[], of: ShownModule): Html {
  const typeHtml = linked(of, []);
  const rows = effectWords.flatMap(([effect, words]) => {
    const names = facts.filter(({ kind }) => kind === effect).map((fact) => printable(factText(fact), 300));
    return names.length === 0 ? [] : [[words, html`${names.map((name) => html`<code class="part">${typeHtml(name)}</code> `)}`]];
  });
  return rows.length === 0 ? html`` : html`<h2>Touches</h2>${table("Resources and events", ["What it does", "Type"], rows)}`;
}

function callView({ id }: ShownModule, fn: FunctionAbi, chainId: number | null): Html {
  const texts = [id.name, fn.name].every(isIdentifier) ? callTexts(id, fn, chainId) : [];
  if (texts.length === 0) return html``;
  const ways = texts.map(({ tool, text: words }, i) => {
    const source = sourceBox(tool, Html.preserved(words), `call-${i}`);
    return html`<details${flag("open", i === 0)}><summary>${tool}</summary>${source}
<p><button type="button" data-copy="call-${i}" hidden>Copy</button></p></details>`;
  });
  return html`<h2>Call it</h2>${ways}`;
}
