import type { FunctionAbi, StructAbi } from "../../../core/abi/model.ts";
import { formatInterfaceItem } from "../../../core/abi/print/interface-text.ts";
import { didYouMean, nearestNames } from "../../../core/base/names.ts";
import { grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { ConfigError } from "../../../core/errors.ts";
import { formatItemId, formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import { printedModule } from "../../../core/questions/resolve-module.ts";
import { NotHeldError } from "../../../core/questions/subject.ts";
import { carriedInto } from "../../changes/diff/carried.ts";
import { type ItemChange, type ItemKind, itemOf, readItemHistory } from "../../changes/diff/item-history.ts";
import { Html, html } from "../../changes/pages/html.ts";
import { abortCodeParts, compilerAbort, type Meaning } from "../../effects/abort-codes.ts";
import { type AbortExplanation, explainCode } from "../../explain/abort-explanation.ts";
import { parseAbortCode } from "../../explain/abort-message.ts";
import { nothing, timelineOf } from "../../pages/html/elements.ts";
import { capital, madeAt, num, prose, shortName, type Times } from "../../pages/html/texts.ts";
import { type PageCall, type PageHandler, readSubject } from "../../pages/page.ts";
import { itemQueries } from "../../search/item-uses.ts";
import { moduleFile, moduleFiles } from "../module/module-page.ts";
import { headOf, linkedSource, readShown, type ShownModule, timelineItem } from "../module/shown-module.ts";
import { timesOf } from "../version-times.ts";
import { functionParts, instructions, itemList, LISTED_MAX } from "./function-view.ts";

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
  const declaration = linkedSource(of, formatInterfaceItem(printed, item), { label: "Declaration", file: "abi.json", most: 500_000 });
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
    const { span, findings, layout } = change;
    const href = change.kind === "removed" ? undefined : links.item(id, name, { at: span.from });
    const below = html`${findings.map(findingLine)}${layout !== "" && layoutView(layout)}`;
    return timelineItem(of, span, { what: words[change.kind], href, isNow: change === current, below });
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
      const way = printable(chain.slice(1).join(" → "), 300);
      return html`<li class="small"><span class="mono">${way}</span>: ${prose(printable(what, 500))}</li>`;
    });
  if (callees.length === 0) return html``;
  return html`<p>What it calls in other modules changed since ${grouped(oldest.from)}:</p><ul>${callees}</ul>`;
}

function findingLine({ rule, before, after }: ItemChange["findings"][number]): Html {
  const was = before !== null && html` <span class="was">− ${printable(before, 300)}</span>`;
  const is = after !== null && html` <span class="is">+ ${printable(after, 300)}</span>`;
  return html`<p class="small"><code>${rule}</code>${was}${is}</p>`;
}

function layoutView(layout: string): Html {
  const source = Html.preserved(layout.slice(0, 4000));
  return html`<details><summary>as it was from here on</summary><pre class="small scroll">${source}</pre></details>`;
}

async function structParts({ name }: StructAbi, of: ShownModule) {
  const { takersOf, returnersOf, holdersOf } = itemQueries(of.call.archive.engine);
  const uses = { "Taken by": takersOf, "Returned by": returnersOf, "Stored in": holdersOf };
  const lists = await Array.fromAsync(Object.entries(uses), async ([title, read]) =>
    itemList(title, await read({ module: of.id, name }, of.version, LISTED_MAX + 1), of, "Nothing that is held."),
  );
  return { main: html``, side: html`${lists}` };
}

const UNREADABLE = "The bytes of the module cannot be read, so nobody is known who raises it.";

/** `/error/{address}/{name}/{code}`: what a module means by an abort code, who raises it, and what it meant before. */
export const errorPage: PageHandler = async (call) => {
  const { archive, links, parts, query } = call;
  const code = parseAbortCode(parts[2] ?? "");
  if (code === undefined)
    throw new ConfigError(`\`${printable(parts[2] ?? "", 60)}\` is no abort code. Give a number, such as 65542 or 0x10006.`);
  const explained = await explainCode(archive.modules, readSubject(call), code);
  const { module: id, version, found, meanings, errors } = explained;
  const times = await timesOf(archive.engine, [version, ...meanings.map(({ from }) => from)]);
  const name = found?.error?.name ?? compilerAbort(code)?.name ?? `code ${code}`;
  const { category, reason } = abortCodeParts(code);
  const parted = category && `${category.name}: ${category.meaning}; reason ${grouped(reason)} of the module`;
  const numbers = html`<span class="num">${code}</span> <span class="num">0x${code.toString(16)}</span>`;
  const body = html`${await headOf({ call, links, id, version, at: query("at"), times }, { item: name, kind: numbers })}
<p class="lead">${meaningOf(explained)}</p>${parted && html`<p class="dim">${parted}</p>`}
${errors === undefined ? nothing(UNREADABLE) : raisersView(call, explained)}
<h2>What it meant</h2><ol class="timeline">${meanings.toReversed().map((meaning) => meaningItem(meaning, times))}</ol>`;
  return { title: `${shortName(name)} (0x${code.toString(16)}) · ${id.address}::${shortName(id.name)}`, body };
};

function meaningOf({ code, found, errors, module }: AbortExplanation): string {
  const byCompiler = compilerAbort(code);
  if (byCompiler !== undefined) return `${capital(byCompiler.meaning)}. The compiler's own code, and no error of the module.`;
  if (found?.error === undefined)
    return `${module.name} has no words for it${errors?.length === 0 ? ": it was built without error texts" : ""}.`;
  return found.error.description === "" ? "The module has a name for it and no words." : printable(found.error.description, 2000);
}

function raisersView({ links, query }: PageCall, { module, raisers: { raisedBy, reachedFrom } }: AbortExplanation): Html {
  const [of, none] = [{ id: module, links, at: query("at") }, "None that can be followed."];
  const items = (names: readonly string[]) => names.map((name) => ({ module, name }));
  return html`${itemList("Raised by", items(raisedBy), of, none)}
${itemList("Functions that can be called and reach it", items(reachedFrom), of, none)}
<p class="small dim">Within the module: functions of others that call these reach it, too.</p>`;
}

function meaningItem({ from, to, error }: Meaning, times: Times): Html {
  const what =
    error === undefined
      ? "not known"
      : error === null
        ? "no words for it"
        : `${printable(error.name, 200)}: ${printable(error.description, 500)}`;
  const since = html`from ${num(from)}${madeAt(times.get(from))}${to !== null && html` to ${num(to)}`}`;
  return html`<li${to === null && html` class="now"`}>${since} <span class="small">${what}</span></li>`;
}
