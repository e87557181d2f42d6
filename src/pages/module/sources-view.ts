import { type LinePair, pairLines } from "../../abi/compare/line-diff.ts";
import { formatInterface } from "../../abi/print/interface-text.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { plural } from "../../base/plural.ts";
import type { ModuleSide } from "../../questions/diff/module-side.ts";
import { printedModule } from "../../questions/module-source.ts";
import { type Html, html, type Part } from "../html/html.ts";
import type { Links } from "../html/links.ts";
import { nothing } from "../html/texts.ts";
import { heldModules } from "./held-modules.ts";
import { type SourceLines, sourceLines } from "./source-html.ts";

/** Unchanged lines around a change that are shown. */
const CONTEXT = 4;

/** The two sources beside each other, private functions too; what is the same is left out but for some lines around each change. */
export async function sourcesView(
  archive: ModuleArchive,
  [before, after]: readonly [ModuleSide, ModuleSide],
  links: Links,
  { isFull, fullLink }: { readonly isFull: boolean; readonly fullLink: string },
): Promise<Html> {
  const [old, now] = [await columnOf(archive, before, links), await columnOf(archive, after, links)];
  if (old === undefined || now === undefined) return nothing("A source is missing: its bytes are held and cannot be read.");
  const pairs = pairLines(old.texts, now.texts);
  if (pairs.every(({ isSame }) => isSame)) return nothing("The sources are the same: what changed is not in the interface.");
  const rows = isFull ? pairs.map((pair) => rowOf(pair, old, now)) : foldedRows(pairs, old, now, fullLink);
  return html`<div class="diff" tabindex="0" role="region" aria-label="Sources before and after"><table><colgroup><col class="ln"><col><col class="ln"><col></colgroup><thead class="sr"><tr><th scope="col">line</th><th scope="col">before</th><th scope="col">line</th><th scope="col">after</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** A module that is not there has no lines; undefined when there are bytes that cannot be read. */
async function columnOf(archive: ModuleArchive, { content, version }: ModuleSide, links: Links): Promise<SourceLines | undefined> {
  if (content === undefined) return { texts: [], htmlOf: () => html`` };
  if (content.kind === "unreadable") return undefined;
  const module = printedModule(content);
  const isHeld = await heldModules(archive, module.abi, version);
  return sourceLines(formatInterface(module, { all: true }), module.abi, {
    module: (id, anchor) => (isHeld(id) ? links.module(id, { at: version, all: 1 }, anchor) : undefined),
    withAnchors: false,
  });
}

function foldedRows(pairs: readonly LinePair[], old: SourceLines, now: SourceLines, fullLink: string): Html[] {
  const near = new Set<number>();
  for (const [i, { isSame }] of pairs.entries()) {
    if (!isSame) for (let row = i - CONTEXT; row <= i + CONTEXT; row++) near.add(row);
  }
  const rows: Html[] = [];
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0)
      rows.push(html`<tr class="fold"><td colspan="4"><a href="${fullLink}">${plural(hidden, "line")} the same</a></td></tr>`);
    hidden = 0;
  };
  for (const [i, pair] of pairs.entries()) {
    if (near.has(i)) {
      flush();
      rows.push(rowOf(pair, old, now));
    } else hidden += 1;
  }
  flush();
  return rows;
}

function rowOf({ before, after, isSame }: LinePair, old: SourceLines, now: SourceLines): Html {
  const cells = (line: number | null, column: SourceLines, change: "del" | "add"): Part => {
    if (line === null) return html`<td class="ln none"></td><td class="none"></td>`;
    const kind = isSame ? "" : change;
    return html`<td class="ln ${kind}">${line + 1}</td><td class="${kind}">${isSame ? "" : html`<span class="sr">${change === "del" ? "before: " : "after: "}</span>`}${column.htmlOf(line)}</td>`;
  };
  return html`<tr>${cells(before, old, "del")}${cells(after, now, "add")}</tr>
`;
}
