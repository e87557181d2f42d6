import type { FunctionAbi, StructAbi } from "../../../core/abi/model.ts";
import { formatInterfaceItem } from "../../../core/abi/print/interface-text.ts";
import { didYouMean, nearestNames } from "../../../core/base/names.ts";
import { plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { formatItemId, formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import { printedModule } from "../../../core/questions/resolve-module.ts";
import { NotHeldError } from "../../../core/questions/subject.ts";
import { carriedInto } from "../../changes/diff/carried.ts";
import { type ItemChange, type ItemKind, itemOf, readItemHistory } from "../../changes/diff/item-history.ts";
import { Html, html } from "../../changes/pages/html.ts";
import { severityLabel, timelineOf } from "../../pages/html/elements.ts";
import { count, shortName, text } from "../../pages/html/texts.ts";
import type { PageHandler } from "../../pages/page.ts";
import { itemQueries } from "../../search/item-uses.ts";
import { moduleFile, moduleFiles } from "../module/module-page.ts";
import { headOf, readShown, type ShownModule, timelineItem } from "../module/shown-module.ts";
import { functionParts, type ItemParts, instructions, itemList, itemSource, LISTED_MAX } from "./function-view.ts";

/** `/module/{address}/{name}/{item}`: a function or struct of a module; or one of the module's files. */
export const itemPage: PageHandler = async (call) => {
  const name = call.parts[2] ?? "";
  if (moduleFiles.includes(name)) return moduleFile(call);
  const of = await readShown(call);
  const { id, at, version, links } = of;
  const printed = printedModule(of.content);
  const wanted: readonly ItemKind[] = call.query("kind") === "struct" ? ["struct"] : ["function", "struct"];
  const kind = wanted.find((one) => itemOf(printed, one, name) !== undefined);
  if (kind === undefined) throw missing(id, [...printed.abi.functions, ...printed.abi.structs], name);
  const item = itemOf(printed, kind, name) as FunctionAbi | StructAbi;
  const declaration = itemSource(formatInterfaceItem(printed, item), of, "Declaration", "abi.json", 500_000);
  const { main, side } = "params" in item ? await functionParts(item, of) : await structParts(item, of);
  const code = "params" in item && html`<h2>Instructions</h2>${instructions(of, item)}`;
  const hasOther = kind === "function" && itemOf(printed, "struct", name) !== undefined;
  const link = (href: string, words: string): Html => html` · <a href="${href}">${words}</a>`;
  const ways = [
    at === undefined && link(links.item(id, name, { at: version }), "link to it at this version"),
    hasOther && link(links.item(id, name, { at, kind: "struct" }), "the struct of this name"),
  ];
  const body = html`${await headOf(of, { item: name, kind: kindWords(item), beside: ways })}
<div class="split"><div>${declaration}${main}${await historyView(of, name, kind)}${code}</div><aside class="side">${side}</aside></div>`;
  return { title: `${shortName(id.name)}::${shortName(name)} · ${id.address}`, body };
};

function kindWords(item: FunctionAbi | StructAbi): string {
  if (!("params" in item)) return item.isEnum ? "enum" : item.isEvent ? "event" : "struct";
  const words = [item.visibility, item.isEntry && "entry", item.isView && "view", item.isNative && "native", "function"];
  return words.filter((word) => word !== false).join(" ");
}

function missing(module: ModuleId, items: readonly { readonly name: string }[], name: string): NotHeldError {
  const names = nearestNames(name, [...new Set(items.map((item) => item.name))]);
  const files = name.includes(".") ? ` Files of a module: ${moduleFiles.join(", ")}.` : "";
  return new NotHeldError(
    `${formatModuleId(module)} has no function or struct \`${printable(name, 100)}\` at this version.${didYouMean(names)}${files}`,
    { name, names },
  );
}

const words: Readonly<Record<ItemChange["kind"], string>> = {
  first: "first seen",
  added: "added",
  declaration: "declaration changed",
  code: "instructions changed",
  removed: "removed",
};

/** Changes that are listed before the rest is folded. */
const LISTED = 8;

/** When an item came and what changed in it, newest first, each with a link to it as it was and to the comparison. */
async function historyView(of: ShownModule, name: string, kind: ItemKind): Promise<Html> {
  const { call, links, id, history: spans, version } = of;
  const { changes, isCut, unreadable } = await readItemHistory(call.archive.modules, spans, kind, name);
  const current = changes.find(({ span }) => span.from <= version);
  const items = changes.map((change) => {
    const { span, worst, findings, layout } = change;
    const href = change.kind === "removed" ? undefined : links.item(id, name, { at: span.from });
    const beside = worst && html` ${severityLabel(worst)}`;
    const below = html`${findings.map(findingLine)}${layout !== "" && layoutView(layout)}`;
    return timelineItem(of, span, { what: words[change.kind], href, isNow: change === current, beside, below });
  });
  const isUnchanged = changes.length === 1 && changes[0]?.kind === "first" && !isCut && unreadable === 0 && spans.length > 1;
  return html`<h2>Its own history <span class="dim">${plural(spans.length, "version")} of the module</span></h2>
${isUnchanged && html`<p>Unchanged in all ${plural(spans.length, "version")} held.</p>`}
${kind === "function" && (await byCallees(of, name))}
${timelineOf(items, LISTED)}
${isCut && html`<p class="small dim">Older versions of the module were not looked at.</p>`}
${unreadable > 0 && html`<p class="small dim">${plural(unreadable, "version")} of the module cannot be read.</p>`}`;
}

/** What a function does otherwise since what it calls in other modules changed. */
async function byCallees({ call, id, history: [oldest], version }: ShownModule, name: string): Promise<Html> {
  if (oldest === undefined || oldest.from >= version) return html``;
  const { changes } = await carriedInto(call.archive.modules, id, { from: oldest.from, to: version });
  const callees = changes
    .filter(({ chain }) => chain[0] === formatItemId({ module: id, name }))
    .map(({ chain, what }) => {
      const way = text(chain.slice(1).join(" → "), 300);
      return html`<li class="small"><span class="mono">${way}</span>: ${text(what, 500)}</li>`;
    });
  if (callees.length === 0) return html``;
  return html`<p>What it calls in other modules changed since ${count(oldest.from)}:</p><ul>${callees}</ul>`;
}

function findingLine({ rule, before, after }: ItemChange["findings"][number]): Html {
  const was = before !== null && html` <span class="was">− ${text(before, 300)}</span>`;
  const is = after !== null && html` <span class="is">+ ${text(after, 300)}</span>`;
  return html`<p class="small"><code>${rule}</code>${was}${is}</p>`;
}

function layoutView(layout: string): Html {
  const source = Html.preserved(layout.slice(0, 4000));
  return html`<details><summary>as it was from here on</summary><pre class="small scroll">${source}</pre></details>`;
}

async function structParts({ name }: StructAbi, of: ShownModule): Promise<ItemParts> {
  const { takersOf, returnersOf, holdersOf } = itemQueries(of.call.archive.engine);
  const uses = { "Taken by": takersOf, "Returned by": returnersOf, "Stored in": holdersOf };
  const lists = await Array.fromAsync(Object.entries(uses), async ([title, read]) =>
    itemList(title, await read({ module: of.id, name }, of.version, LISTED_MAX + 1), of, "Nothing that is held."),
  );
  return { main: html``, side: html`${lists}` };
}
