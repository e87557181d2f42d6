import type { FunctionAbi } from "../../abi/model.ts";
import type { StoredContent } from "../../archive/content/stored-content.ts";
import { type ItemId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import { bodiesOf } from "../../questions/item/item-history.ts";
import { printedModule } from "../../questions/module-source.ts";
import type { ResolvedModule } from "../../questions/resolve-module.ts";
import { type Html, html, type Part } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, folded, shortAddress, shortName, sourceBox } from "../html/texts.ts";
import { heldLinks, type IsHeld, sourceLines } from "../module/source-html.ts";

/** An item of a module at a version, with what its page needs. */
export type ShownItem = {
  readonly id: ModuleId;
  readonly name: string;
  readonly shown: ResolvedModule;
  readonly content: StoredContent;
  readonly isHeld: IsHeld;
  readonly links: Links;
  /** The version in the address of this page, which its links keep. */
  readonly at: string | undefined;
};

/** What stands in the middle of an item's page, and beside it. */
export type ItemParts = { readonly main: Html; readonly side: Html };

/** Lines of instructions that a page shows. */
const LINES_MAX = 3000;

/** Move source of an item with links: types and functions of modules that are held lead to their own pages. */
export function itemSource(source: string, { content, isHeld, links, at }: ShownItem, label: string): Html {
  const { abi } = printedModule(content);
  return sourceBox(label, sourceLines(source, abi, { ...heldLinks(isHeld, links, at), withAnchors: false }).all());
}

/** The instructions of a function with links; nothing where it has none, or they cannot be read. */
export function instructions(of: ShownItem, item: FunctionAbi): Part {
  const bodyOf = of.content.kind === "decoded" ? bodiesOf(of.content, item.name) : undefined;
  if (bodyOf === undefined) return html`<p class="notice">The instructions cannot be read.</p>`;
  if (bodyOf(item.name) === undefined) return html`<p class="dim">A native function: the node itself implements it.</p>`;
  const lines = (bodyOf(item.name) ?? []).slice(0, LINES_MAX);
  const rest = html`<p class="dim">The first ${count(LINES_MAX)} lines; <code>movedex show --code</code> has all.</p>`;
  return html`${itemSource(`${lines.join("\n")}\n`, of, "Instructions")}${lines.length < LINES_MAX ? "" : rest}`;
}

/** Items that are listed at all, and before the rest is folded. */
export const LISTED_MAX = 200;
const OPEN = 12;

/**
 * Functions or structs as links under a heading, without the name of the page's own module; of more than `LISTED_MAX` it says so. `isHeld`
 * tells which of them have a page.
 */
export function itemList(title: string, items: readonly ItemId[], { id: own, links, at, isHeld }: ShownItem, none: string): Html {
  const isCut = items.length > LISTED_MAX;
  const entries = items.slice(0, LISTED_MAX).map(({ module, name }) => {
    const account = module.address === own.address ? "" : `${shortAddress(module.address)}::`;
    const before = isSameModule(module, own) ? "" : html`<span class="dim">${account}${shortName(module.name, 30)}::</span><wbr>`;
    const path = html`${before}${shortName(name, 40)}`;
    return isHeld(module)
      ? html`<li><a class="mono" href="${links.item(module, name, { at })}">${path}</a></li>`
      : html`<li><span class="mono">${path}</span> <span class="dim small">not held</span></li>`;
  });
  const number = isCut ? `more than ${count(LISTED_MAX)}` : count(items.length);
  const list = folded(entries, OPEN, (some) => html`<ul>${some}</ul>`);
  return html`<h2>${title} <span class="dim">${number}</span></h2>${items.length === 0 ? html`<p class="small dim">${none}</p>` : list}`;
}
