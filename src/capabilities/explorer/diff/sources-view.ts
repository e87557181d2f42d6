import { type InterfaceItem, interfaceItems } from "../../../core/abi/print/interface-text.ts";
import { listFirst, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { printedModule } from "../../../core/questions/resolve-module.ts";
import type { CodeDiff, CodeLine, FunctionDiff } from "../../changes/compare/code-diff.ts";
import type { Rename } from "../../changes/compare/finding.ts";
import { type ItemPair, type LinePair, pairItems } from "../../changes/compare/item-diff.ts";
import { functionSentence } from "../../changes/diff/sentences.ts";
import type { ModuleSide } from "../../changes/diff/sides.ts";
import { type Bounded, bounded, flag, type Html, html } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { nothing, stretches } from "../../pages/html/elements.ts";
import { heldModules, isAnchor, sourceHtml } from "../module/source-html.ts";

/** Unchanged lines around a change that are shown; unchanged lines, or instructions, that unfold: more of them are a page away. */
const [CONTEXT, UNFOLDING_MAX] = [4, 150];
/** Characters of a line of instructions. */
const LINE_MAX = 2_000;
/** Characters of HTML of the rows at first view, and of whole sources. */
const [VIEW_MAX, PAGE_MAX] = [100_000, 1_000_000];
/** Names of items that are listed. */
const NAMED = 8;

type Column = Readonly<{ htmlOf: (line: number) => Html; items: readonly InterfaceItem[] }>;
/** What the parts of the view are made with. */
type View = Readonly<{ old: Column; now: Column; page: Bounded; isFull: boolean; fullLink: string }>;

/**
 * The two sources beside each other, private functions too, matched by item: each item that differs is a section with an address; what
 * is the same unfolds. The instructions that differ (`code`) stand below the declaration of each function.
 */
export async function sourcesView(
  archive: ModuleArchive,
  [before, after]: readonly [ModuleSide, ModuleSide],
  links: Links,
  {
    isFull,
    fullLink,
    code,
    renamed,
  }: Pick<View, "isFull" | "fullLink"> & { readonly code: CodeDiff | undefined; readonly renamed: readonly Rename[] },
): Promise<Html> {
  const [old, now] = [await columnOf(archive, before, links), await columnOf(archive, after, links)];
  if (old === undefined || now === undefined) return nothing("A source is missing: its bytes are held and cannot be read.");
  const keyOf = (kind: string, name: string): string => `${kind === "struct" ? kind : "fun"} ${name}`;
  const renames = renamed.map(({ kind, from, to }) => [keyOf(kind, from), keyOf(kind, to)] as const);
  const { items, moved } = pairItems(old.items, now.items, new Map(renames));
  const compared = code === undefined || "unreadable" in code ? [] : code.functions;
  const functions = new Map(compared.map((fn) => [`fun ${fn.function}`, fn]));
  for (const name of renames.flat()) functions.delete(name);
  const codeOf = (pair: ItemPair): FunctionDiff | undefined => functions.get(pair.after ?? pair.before ?? "");
  const isChanged = (pair: ItemPair): boolean => pair.lines.some(({ isSame }) => !isSame) || codeOf(pair) !== undefined;
  if (!items.some(isChanged) && moved.length === 0) return nothing("The sources are the same: what changed is not in the interface.");
  const view: View = { old, now, isFull, fullLink, page: bounded(isFull ? PAGE_MAX : VIEW_MAX) };
  const parts = stretches(items, isChanged).map(([isOther, pairs]) => {
    if (isOther) return pairs.map((pair) => itemView(pair, codeOf(pair), view));
    return fold(
      pairs.flatMap(({ lines }) => lines),
      view,
      ` the same: ${names(pairs.map(({ after }) => after ?? ""))}`,
    );
  });
  const elsewhere = moved.length > 0 && html`<p class="small dim">Moved within the module, which is no change: ${names(moved)}.</p>`;
  return html`${elsewhere}<div class="diff" tabindex="0" role="region" aria-label="Sources before and after">${parts}</div>
${view.page.ending(isFull ? undefined : fullLink)}`;
}

function names(keys: readonly string[]): string {
  const named = keys.map((key) => printable(key, 80));
  return listFirst(named, NAMED);
}

/** A module that is not there has no lines; undefined when there are bytes that cannot be read. */
async function columnOf(archive: ModuleArchive, { content, version }: ModuleSide, links: Links): Promise<Column | undefined> {
  if (content === undefined) return { htmlOf: () => html``, items: [] };
  if (content.kind === "unreadable") return undefined;
  const module = printedModule(content);
  const isHeld = await heldModules(archive, module.abi, version);
  const to = (id: ModuleId, item?: string) =>
    isHeld(id) ? links.module(id, { at: version, all: 1 }, item && `struct.${item}`) : undefined;
  const items = interfaceItems(module, { all: true });
  const lines = new Map(items.flatMap(({ line, lines }) => lines.map((text, i) => [line + i, text] as const)));
  const htmlOf = sourceHtml([...lines.values()], module.abi, { to });
  return { htmlOf: (line) => htmlOf(lines.get(line) ?? ""), items };
}

/** Lines that are the same, folded: they unfold, and where they are too many for one page a link leads to them. */
function fold(pairs: readonly LinePair[], view: View, words: string): Html {
  const title = html`${plural(pairs.length, "line")}${words}`;
  if (pairs.length > UNFOLDING_MAX && !view.isFull) return html`<p class="fold"><a href="${view.fullLink}">${title}</a></p>`;
  const rows = linesOf(pairs, view);
  if (rows.text === "") return rows;
  return html`<details class="fold"${flag("open", view.isFull)}><summary>${title}</summary>${rows}</details>`;
}

function linesOf(pairs: readonly LinePair[], view: View): Html {
  return table(
    pairs.map((pair) => view.page.show(() => rowOf(pair, view))),
    view,
  );
}

/** An item that differs: what it is called, its lines, and its instructions. */
function itemView(pair: ItemPair, code: FunctionDiff | undefined, view: View): Html {
  const { before, after, lines } = pair;
  const key = after ?? before ?? "";
  const word = before === undefined ? "new" : after === undefined ? "gone" : before === after ? undefined : `renamed, was ${before}`;
  const anchor = `diff.${key.replace(/^enum /, "struct ").replace(" ", ".")}`;
  const title = html`${printable(key, 200)}${word === undefined ? "" : html` <span class="dim">${printable(word, 200)}</span>`}`;
  const heading = isAnchor(anchor.slice(5)) ? html`<h3 id="${anchor}"><a href="#${anchor}">${title}</a></h3>` : html`<h3>${title}</h3>`;
  const body = html`${withContext(lines, view)}${code === undefined ? "" : instructions(code, view)}`;
  if (body.text === "") return body;
  // Names of 255 characters stand in it three times.
  view.page.spend(heading.text.length);
  return html`${heading}${body}`;
}

/** What differs with some lines around it; the others unfold. */
function withContext(pairs: readonly LinePair[], view: View): Html {
  const near = new Set<number>();
  for (const [i, { isSame }] of pairs.entries()) if (!isSame) for (let row = i - CONTEXT; row <= i + CONTEXT; row++) near.add(row);
  const parts = stretches(pairs, (_, i) => near.size === 0 || near.has(i));
  return html`${parts.map(([isNear, some]) => (isNear ? linesOf(some, view) : fold(some, view, " the same")))}`;
}

/** The instructions of a function that differ, before beside after. */
function instructions(fn: FunctionDiff, view: View): Html {
  const { page, isFull, fullLink } = view;
  const lines = fn.hunks.reduce((sum, hunk) => sum + hunk.length, 0);
  if (lines > 2 * UNFOLDING_MAX && !isFull)
    return html`<p class="fold"><a href="${fullLink}">${printable(functionSentence(fn), 500)}</a></p>`;
  const isChanged = ({ change }: CodeLine): boolean => change === "removed" || change === "added";
  const rowsOf = ([isOther, some]: readonly [boolean, CodeLine[]]): Html[] => {
    if (!isOther) return some.map((line) => page.show(() => row(undefined, codeSide(line), true)));
    const [removed, added] = (["removed", "added"] as const).map((side) => some.filter(({ change }) => change === side));
    const length = Math.max(removed?.length ?? 0, added?.length ?? 0);
    return Array.from({ length }, (_, i) => page.show(() => row(codeSide(removed?.[i]), codeSide(added?.[i]))));
  };
  const between = html`<tr><td class="ln"></td><td class="dim" colspan="3">⋮</td></tr>`;
  const rows = fn.hunks.flatMap((hunk, i) => [...(i === 0 ? [] : [between]), ...stretches(hunk, isChanged).flatMap(rowsOf)]);
  const shown = table(rows, view);
  if (shown.text === "") return shown;
  return html`<details class="code" open><summary>${printable(functionSentence(fn), 500)}</summary>${shown}</details>`;
}

/** A line on one side, or on both: what stands on one side alone, and what is the same, has the whole width. */
type Side = { readonly number: number | string; readonly line: Html | string };

function sideOf({ htmlOf }: Column, line: number | null, isFull: boolean): Side | undefined {
  if (line === null) return undefined;
  const shown = htmlOf(line);
  // A function may have as many parameters of types as deep as a module's bytes allow.
  const isTooLong = shown.text.length > (isFull ? PAGE_MAX / 2 : VIEW_MAX / 4);
  const instead = html`<span class="dim">a line too long for a page; <code>movedex show</code> prints it</span>`;
  return { number: line + 1, line: isTooLong ? instead : shown };
}

function codeSide(line: CodeLine | undefined): Side | undefined {
  return line && { number: line.index ?? "", line: printable(line.text, LINE_MAX) };
}

function rowOf({ before, after, isSame }: LinePair, { old, now, isFull }: View): Html {
  const is = sideOf(now, after, isFull);
  return isSame ? row(undefined, is, true) : row(sideOf(old, before, isFull), is);
}

/** Characters of a table beside its rows. */
const FRAME = 250;

function table(rows: readonly Html[], { page }: Pick<View, "page">): Html {
  if (rows.every((one) => one.text === "")) return html``;
  page.spend(FRAME);
  return html`<table><colgroup><col class="ln"><col><col class="ln"><col></colgroup>
<thead class="sr"><tr><th scope="col">line</th><th scope="col">before</th><th scope="col">line</th><th scope="col">after</th></tr></thead>
<tbody>${rows}</tbody></table>`;
}

function row(before: Side | undefined, after: Side | undefined, isSame = false): Html {
  const cells =
    before !== undefined && after !== undefined
      ? [cell(before, "del"), cell(after, "add")]
      : [before && cell(before, "del", true), after && cell(after, isSame ? "" : "add", true)];
  return html`<tr>${cells}</tr>
`;
}

function cell({ number, line }: Side, change: "del" | "add" | "", isAlone = false): Html {
  const spoken = change !== "" && html`<span class="sr">${change === "del" ? "before" : "after"}: </span>`;
  return html`<td class="ln ${change}">${number}</td><td class="${change}"${isAlone && html` colspan="3"`}>${spoken}${line}</td>`;
}
