import type { FunctionAbi } from "../../abi/model.ts";
import type { StoredContent } from "../../archive/content/stored-content.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { bodiesOf } from "../../questions/item/item-history.ts";
import { printedModule } from "../../questions/module-source.ts";
import type { ResolvedModule } from "../../questions/resolve-module.ts";
import { type Html, html, type Part } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { count, sourceBox } from "../html/texts.ts";
import { heldLinks, type IsHeld } from "../module/held-modules.ts";
import { sourceLines } from "../module/source-html.ts";

/** An item of a module at a version, with what its page needs. */
export type ShownItem = {
  readonly id: ModuleId;
  readonly name: string;
  readonly shown: ResolvedModule;
  readonly content: StoredContent;
  readonly isHeld: IsHeld;
  /** The version in the address of this page, which its links keep. */
  readonly at: string | undefined;
};

/** Lines of instructions that a page shows. */
const LINES_MAX = 3000;

/** Move source of an item with links: types and functions of modules that are held lead to their own pages. */
export function itemSource(source: string, { content, isHeld, at }: ShownItem, links: Links, label: string): Html {
  const { abi } = printedModule(content);
  return sourceBox(label, sourceLines(source, abi, { ...heldLinks(isHeld, links, at), withAnchors: false }).all());
}

/** The instructions of a function with links; nothing where it has none, or they cannot be read. */
export function instructions(of: ShownItem, item: FunctionAbi, links: Links): Part {
  const bodyOf = of.content.kind === "decoded" ? bodiesOf(of.content, item.name) : undefined;
  if (bodyOf === undefined) return html`<p class="notice">The instructions cannot be read.</p>`;
  if (bodyOf(item.name) === undefined) return html`<p class="dim">A native function: the node itself implements it.</p>`;
  const lines = (bodyOf(item.name) ?? []).slice(0, LINES_MAX);
  return html`${itemSource(`${lines.join("\n")}\n`, of, links, "Instructions")}${lines.length < LINES_MAX ? "" : html`<p class="dim">The first ${count(LINES_MAX)} lines; <code>movedex show --code</code> has all.</p>`}`;
}
