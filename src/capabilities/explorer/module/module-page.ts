import { isExposed } from "../../../core/abi/model.ts";
import { formatNodeAbi } from "../../../core/abi/node-json/format.ts";
import { formatInterface } from "../../../core/abi/print/interface-text.ts";
import { plural } from "../../../core/base/plural.ts";
import type { StoredModule } from "../../../core/db/archive/read/module-queries.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { aboutContent, aboutModule, commentLines, printedModule, resolveModule } from "../../../core/questions/resolve-module.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { QueryValues } from "../../changes/pages/page-links.ts";
import { foldedItems, heading, hidden, nothing, tabButton, timelineOf, versionChoice, versionSteps } from "../../pages/html/elements.ts";
import { count, lookedFor, madeAt, moduleLink, num, shortAddress, shortName } from "../../pages/html/texts.ts";
import { type PageHandler, readSubject } from "../../pages/page.ts";
import { referring } from "../../uses/dependents.ts";
import { errorTable, functionTable, itemFacts, structList } from "./item-tables.ts";
import { changeTo, headOf, readShown, type ShownModule, timelineItem } from "./shown-module.ts";
import { boundedSource, heldLinks, sourceLines, sourceRoom } from "./source-html.ts";

/** Versions and modules of a list that show before the rest is folded. */
const LISTED = 12;

/** `all`: private functions are shown, too. */
type ModuleView = ShownModule & { readonly current: StoredModule; readonly all: boolean; readonly isSource: boolean };

/** `/module/{address}/{name}`: the interface at a version, who uses it and what it uses, its versions, downloads. */
export const modulePage: PageHandler = async (call) => {
  const shown = await readShown(call);
  const { id, at, history, links, printed } = shown;
  const isSource = printed === undefined || call.query("show") === "source";
  const view = { ...shown, current: shown.shown.module, all: call.query("all") !== undefined, isSource };
  const newest = at !== undefined && history.at(-1)?.to === null && html` · <a href="${links.module(id)}">newest</a>`;
  const body = html`${await headOf(view, { beside: html`${standingText(view)}${newest}` })}
${tabs(view)}
<div class="split"><div>${isSource ? await sourceView(view) : await itemsView(view)}${errorTable(view)}</div>
<aside class="side"><h2>Versions held</h2>${versionLine(view)}${moduleTimeline(view)}
${await relations(view)}<h2>Bytes</h2>${bytes(view)}</aside></div>`;
  return { title: `${shortName(id.name)} · ${id.address}`, body };
};

function standingText({ shown: { between }, current: { from }, version, times }: ModuleView): Html {
  if (between !== undefined) return html`, which was not read: the same stood at ${num(between[0])} and ${num(between[1])}`;
  return from === version ? html`` : html`, unchanged since ${num(from)}${madeAt(times.get(from))}`;
}

function tabs({ id, printed, links, at, all, isSource }: ModuleView): Html {
  const hidden = printed?.abi.functions.filter((fn) => !isExposed(fn)).length ?? 0;
  const [show, every] = [isSource ? "source" : undefined, all ? 1 : undefined];
  const tab = (words: string, isNow: boolean, query: QueryValues): Html => tabButton(links.module(id, { at, ...query }), words, isNow);
  const buttons = [
    printed && tab("Functions", !isSource, { all: every }),
    tab("Source", isSource, { all: every, show: "source" }),
    hidden > 0 &&
      tab(all ? "Private functions shown" : `Show ${plural(hidden, "private function")}`, all, { show, all: all ? undefined : 1 }),
  ];
  return html`<div class="tabs">${buttons}</div>`;
}

/** Where the shown version stands among those held: the one before and the one after, and a comparison with any other. */
function versionLine({ call, history, current, links, times }: ModuleView): Html {
  const place = history.findIndex((span) => span.from === current.from);
  const href = (span: StoredModule | undefined) => span && links.module(span, { at: span.from, all: call.query("all") });
  const others = history.filter((_, i) => i !== place).map(({ from }) => from);
  const choice = versionChoice("from", others.toReversed(), times, history[place - 1]?.from);
  const form = html`<form action="${links.diff(current)}">${hidden("to", current.from)}
<label>What changed since ${choice}</label> <button>Compare</button></form>`;
  const steps = { place: `version ${place + 1} of ${history.length}`, older: href(history[place - 1]), newer: href(history[place + 1]) };
  return versionSteps({ label: "Versions held", ...steps }, others.length > 0 && form);
}

/** The versions of a module, newest first: each a link to the module as it was, and to what changed. */
function moduleTimeline(view: ModuleView): Html {
  const item = (span: StoredModule): Html => {
    const change = changeTo(span, view.changes);
    const what =
      change === undefined ? "first seen" : change.from === null ? "added" : change.abiChanged === false ? "code only" : "interface";
    const isNow = span.from === view.current.from;
    const href = isNow ? undefined : view.links.module(span, { at: span.from });
    const exact = change?.isExact === true && html` <span class="dim small">exactly at ${count(change.atOrBeforeVersion)}</span>`;
    return timelineItem(view, span, { what, href, isNow, beside: exact });
  };
  return timelineOf(view.history.toReversed().map(item), LISTED);
}

function bytes({ id, current, printed, links, at }: ModuleView): Html {
  const file = (name: string, words: string): Html => html`<a href="${links.file(id, name, { at })}">${words}</a>`;
  return html`<p>${file("bytecode.mv", "Bytecode")}${printed && html` · ${file("abi.json", "ABI as JSON")}`}</p>
<p class="small mono dim">${current.sha256}</p><p class="small dim">SHA-256 of ${plural(current.size, "byte")}</p>`;
}

/** Its functions and structs, each of which leads to its own page. */
async function itemsView(view: ModuleView): Promise<Html> {
  const { functions, structs } = (view.printed as NonNullable<ModuleView["printed"]>).abi;
  const shown = functions.filter((fn) => view.all || isExposed(fn));
  const facts = await itemFacts(view);
  const list = shown.length === 0 ? nothing("No function that can be called.") : functionTable(shown, facts, view);
  return html`${heading("Functions", shown.length)}${list}
${structList(structs, facts, view)}`;
}

async function sourceView({ call, shown, content, id, isHeld, links, at, all }: ModuleView): Promise<Html> {
  if (content.kind === "unreadable") return nothing(html`The bytes are held and cannot be read: ${content.reason}.`);
  const printed = printedModule(content);
  const about = commentLines([...(await aboutModule(call.archive.modules, shown)), ...aboutContent(content)]);
  const room = sourceRoom();
  const source = about + formatInterface(printed, { all, withErrors: false, room });
  const lines = sourceLines(source, printed.abi, { ...heldLinks(isHeld, links, at), withAnchors: true });
  const file = ["abi.json", links.file(id, "abi.json", { at })] as const;
  return boundedSource("Interface as Move source", lines, { file, room, id: "source" });
}

/** Who uses a module, as far as that is known, what it uses, and its friends. */
async function relations({ call: { archive }, version, id, printed, isHeld, links, at }: ModuleView): Promise<Html> {
  const users = await referring(archive.modules, id, version);
  const { dependencies, friends } = printed?.abi ?? { dependencies: [], friends: [] };
  const list = (modules: readonly ModuleId[], isThere: (module: ModuleId) => boolean = isHeld): Html => {
    const entries = modules.map((module) => {
      const isBare = module.address === id.address;
      if (isThere(module)) return html`<li>${moduleLink(links, module, { at: at === undefined ? undefined : version, isBare })}</li>`;
      const name = html`${isBare ? "" : `${shortAddress(module.address)}::`}${shortName(module.name)}`;
      return html`<li><span class="mono">${name}</span> <span class="dim small">not held</span></li>`;
    });
    return foldedItems(entries, LISTED);
  };
  return html`${heading("Used by", users.length)}${list(users, () => true)}
<p class="small dim">${lookedFor(await archive.modules.coverage(version))}</p>
${heading("Uses", printed === undefined ? "unknown" : dependencies.length)}${list(dependencies)}
${friends.length > 0 && html`${heading("Friends", friends.length)}${list(friends)}`}`;
}

export const moduleFiles: readonly string[] = ["bytecode.mv", "abi.json"];

/** `/module/{address}/{name}/{file}`: the bytes of a module, or its ABI as a node prints it. */
export const moduleFile: PageHandler = async (call) => {
  const { module, version } = await resolveModule(call.archive.modules, readSubject(call));
  const content = await call.archive.modules.content(module);
  const stem = `${module.name}-${version}`;
  if (call.parts[2] === "bytecode.mv") return { contentType: "application/octet-stream", body: content.bytes, fileName: `${stem}.mv` };
  const body = Buffer.from(`${JSON.stringify(formatNodeAbi(printedModule(content).abi), null, 2)}\n`);
  return { contentType: "application/json; charset=utf-8", body, fileName: `${stem}.json` };
};
