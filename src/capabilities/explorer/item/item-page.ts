import type { FunctionAbi, StructAbi } from "../../../core/abi/model.ts";
import { formatInterfaceItem } from "../../../core/abi/print/interface-text.ts";
import { Html, html } from "../../../core/base/html.ts";
import { didYouMean, nearestNames } from "../../../core/base/names.ts";
import { plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { changeQueries } from "../../../core/db/archive/read/changes.ts";
import { itemQueries } from "../../../core/db/archive/read/item-queries.ts";
import { timesOf } from "../../../core/db/archive/times/ledger-times.ts";
import { formatItemId, formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import { carriedInto } from "../../../core/questions/diff/carried.ts";
import { type ItemChange, type ItemKind, itemOf, readItemHistory } from "../../../core/questions/item/item-history.ts";
import { printedModule, resolveModule } from "../../../core/questions/resolve-module.ts";
import { NotHeldError } from "../../../core/questions/subject.ts";
import { gapBanner } from "../coverage/gaps-page.ts";
import { accountLink, atVersion, count, madeAt, severityLabel, shortName, text } from "../html/texts.ts";
import { moduleFile, moduleFiles } from "../module/module-page.ts";
import { changeTo, timelineOf } from "../module/module-views.ts";
import { heldModules } from "../module/source-html.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readSubject } from "../parameters.ts";
import { declarationOf, functionParts, type ItemParts, instructions, itemList, LISTED_MAX, type ShownItem } from "./function-view.ts";

/** `/module/{address}/{name}/{item}`: a function or struct of a module; or one of the module's files. */
export const itemPage: PageHandler = async (call) => {
  const { archive, links, query, parts } = call;
  const name = parts[2] ?? "";
  if (moduleFiles.includes(name)) return moduleFile(call);
  const shown = await resolveModule(archive.modules, readSubject(call));
  const { module, version } = shown;
  const content = await archive.modules.content(module);
  const printed = printedModule(content);
  const wanted: readonly ItemKind[] = query("kind") === "struct" ? ["struct"] : ["function", "struct"];
  const kind = wanted.find((one) => itemOf(printed, one, name) !== undefined);
  if (kind === undefined) throw missing(module, [...printed.abi.functions, ...printed.abi.structs], name);
  const item = itemOf(printed, kind, name) as FunctionAbi | StructAbi;
  const id = { address: module.address, name: module.name };
  const at = query("at");
  const isHeld = await heldModules(archive.modules, printed.abi, version);
  const of: ShownItem = { id, name, shown, content, isHeld, links, at };
  const declaration = declarationOf(formatInterfaceItem(printed, item), of);
  const { main, side } = "params" in item ? await functionParts(call, item, of) : await structParts(call, item, of);
  const code = "params" in item ? html`<h2>Instructions</h2>${instructions(of, item)}` : "";
  const other = kind === "function" && itemOf(printed, "struct", name) !== undefined;
  const account = accountLink(links, id.address, at === undefined ? undefined : version);
  const times = await timesOf(archive.modules.engine, [version]);
  const link = (href: string, words: string): Html => html` · <a href="${href}">${words}</a>`;
  const ways = [
    at === undefined && link(links.item(id, name, { at: version }), "link to it at this version"),
    other && link(links.item(id, name, { at, kind: "struct" }), "the struct of this name"),
  ];
  const body = html`<p class="crumbs">${account} :: <a class="mono" href="${links.module(id, { at })}">${shortName(id.name)}</a> ::</p>
<h1><span class="mono">${shortName(name, 80)}</span> <span class="dim">${kindWords(item)}</span></h1>
<p>${atVersion(version, times.get(version))}${ways}</p>
${at === undefined ? await gapBanner(archive.modules, id.address, version) : ""}
<div class="split"><div>${declaration}${main}${await historyView(call, of, kind)}${code}</div><aside class="side">${side}</aside></div>`;
  return { title: `${shortName(id.name)}::${shortName(name)} · ${id.address}`, body };
};

function kindWords(item: FunctionAbi | StructAbi): string {
  if (!("params" in item)) return item.isEnum ? "enum" : item.isEvent ? "event" : "struct";
  const words = [item.visibility, item.isEntry ? "entry" : "", item.isView ? "view" : "", item.isNative ? "native" : "", "function"];
  return words.filter((word) => word !== "").join(" ");
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
async function historyView({ archive, links }: PageCall, { id, name, shown }: ShownItem, kind: ItemKind): Promise<Html> {
  const spans = await archive.modules.historyOf(id);
  const changes = await changeQueries(archive.engine).changesOf({ address: id.address, module: id.name }, 500);
  const history = await readItemHistory(archive.modules, spans, kind, name);
  const times = await timesOf(
    archive.modules.engine,
    history.changes.map(({ span }) => span.from),
  );
  const entry = (change: ItemChange): Html => {
    const { span, findings, layout } = change;
    const before = spans.findLast(({ from }) => from < span.from);
    const made = madeAt(changeTo(span, changes) ?? times.get(span.from));
    const number = html`<span class="num">${count(span.from)}</span>`;
    const version = change.kind === "removed" ? number : html`<a href="${links.item(id, name, { at: span.from })}">${number}</a>`;
    const isNow = span.from <= shown.version && history.changes.find((other) => other.span.from <= shown.version) === change;
    const worst = change.worst === undefined ? "" : html` ${severityLabel(change.worst)}`;
    const compare = before === undefined ? "" : html` · <a href="${links.diff(id, { from: before.from, to: span.from })}">compare</a>`;
    const about = html`<span class="small"><span class="dim">${words[change.kind]}</span>${made}${worst}${compare}</span>`;
    return html`<li${isNow ? html` class="now"` : ""}>${version} ${about}${findings.map(findingLine)}${layoutView(layout)}</li>`;
  };
  const items = history.changes.map(entry);
  const isCut = history.isCut ? html`<p class="small dim">Older versions of the module were not looked at.</p>` : "";
  const unreadable =
    history.unreadable === 0 ? "" : html`<p class="small dim">${plural(history.unreadable, "version")} of the module cannot be read.</p>`;
  const isUnchanged = history.changes.length === 1 && history.changes[0]?.kind === "first" && !history.isCut && history.unreadable === 0;
  const unchanged = isUnchanged && spans.length > 1 ? html`<p>Unchanged in all ${plural(spans.length, "version")} held.</p>` : "";
  const [oldest] = spans;
  const carried =
    kind === "function" && oldest !== undefined && oldest.from < shown.version
      ? (await carriedInto(archive.modules, id, { from: oldest.from, to: shown.version })).changes.filter(
          ({ chain }) => chain[0] === formatItemId({ module: id, name }),
        )
      : [];
  const callees = carried.map(
    ({ chain, what }) =>
      html`<li class="small"><span class="mono">${text(chain.slice(1).join(" → "), 300)}</span>: ${text(what, 500)}</li>`,
  );
  const byCallees =
    callees.length === 0 ? "" : html`<p>What it calls in other modules changed since ${count(oldest?.from ?? 0n)}:</p><ul>${callees}</ul>`;
  return html`<h2>Its own history <span class="dim">${plural(spans.length, "version")} of the module</span></h2>${unchanged}${byCallees}
${timelineOf(items, LISTED)}${isCut}${unreadable}`;
}

function findingLine({ rule, before, after }: ItemChange["findings"][number]): Html {
  const was = before === null ? "" : html` <span class="was">− ${text(before, 300)}</span>`;
  const is = after === null ? "" : html` <span class="is">+ ${text(after, 300)}</span>`;
  return html`<p class="small"><code>${rule}</code>${was}${is}</p>`;
}

function layoutView(layout: string): Html {
  if (layout === "") return html``;
  const source = Html.preserved(layout.slice(0, 4000));
  return html`<details><summary>as it was from here on</summary><pre class="small scroll">${source}</pre></details>`;
}

async function structParts({ archive }: PageCall, struct: StructAbi, of: ShownItem): Promise<ItemParts> {
  const item = { module: of.id, name: struct.name };
  const { takersOf, returnersOf, holdersOf } = itemQueries(archive.engine);
  const uses = { "Taken by": takersOf, "Returned by": returnersOf, "Stored in": holdersOf };
  const lists = await Array.fromAsync(Object.entries(uses), async ([title, read]) => {
    const items = await read(item, of.shown.version, LISTED_MAX + 1);
    return itemList(title, items, { ...of, isHeld: () => true }, "Nothing that is held.");
  });
  return { main: html``, side: html`${lists}` };
}
