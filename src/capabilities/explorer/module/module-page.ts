import { isExposed } from "../../../core/abi/model.ts";
import { formatNodeAbi } from "../../../core/abi/node-json/format.ts";
import { formatInterface } from "../../../core/abi/print/interface-text.ts";
import { grouped, plural } from "../../../core/base/plural.ts";
import type { StoredModule } from "../../../core/db/archive/read/module-archive.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { aboutContent, aboutModule, commentLines, printedModule, resolveModule } from "../../../core/questions/resolve-module.ts";
import { type Html, html } from "../../changes/pages/html.ts";
import type { QueryValues } from "../../changes/pages/page-links.ts";
import { foldedItems, heading, hidden, nothing, tabButton, timelineOf, versionChoice, versionSteps } from "../../pages/html/elements.ts";
import { lookedFor, madeAt, moduleLink, num, shortAddress, shortName } from "../../pages/html/texts.ts";
import { type PageHandler, readSubject } from "../../pages/page.ts";
import { referring } from "../../uses/dependents.ts";
import { errorTable, itemTables } from "./item-tables.ts";
import { changeTo, headOf, linkedSource, readShown, type ShownModule, timelineItem } from "./shown-module.ts";

/** Versions and modules of a list that show before the rest is folded. */
const LISTED = 12;
/** Characters of all types that are printed. */
const TYPES_MAX = 2_000_000;

/** `/module/{address}/{name}`: the interface at a version, who uses it and what it uses, its versions, downloads. */
export const modulePage: PageHandler = async (call) => {
  const of = await readShown(call);
  const { id, at, version, links, printed, history, times } = of;
  const { module, between } = of.shown;
  const all = call.query("all") !== undefined;
  const isSource = printed === undefined || call.query("show") === "source";
  const stands =
    between !== undefined
      ? html`, which was not read: the same stood at ${num(between[0])} and ${num(between[1])}`
      : module.from !== version && html`, unchanged since ${num(module.from)}${madeAt(times.get(module.from))}`;
  const newest = at !== undefined && history.at(-1)?.to === null && html` · <a href="${links.module(id)}">newest</a>`;
  const file = (name: string, words: string): Html => html`<a href="${links.file(id, name, { at })}">${words}</a>`;
  const body = html`${await headOf(of, { beside: html`${stands}${newest}` })}
${tabs(of, all, isSource)}
<div class="split"><div>${isSource ? await sourceOf(of, all) : await itemTables(of, all)}${errorTable(of)}</div>
<aside class="side"><h2>Versions held</h2>${versionLine(of)}${moduleTimeline(of)}
${await relations(of)}<h2>Bytes</h2><p>${file("bytecode.mv", "Bytecode")}${printed && html` · ${file("abi.json", "ABI as JSON")}`}</p>
<p class="small mono dim">${module.sha256}</p><p class="small dim">SHA-256 of ${plural(module.size, "byte")}</p></aside></div>`;
  return { title: `${shortName(id.name)} · ${id.address}`, body };
};

function tabs({ id, printed, links, at }: ShownModule, all: boolean, isSource: boolean): Html {
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
function versionLine({ call, history, shown: { module }, links, times }: ShownModule): Html {
  const place = history.findIndex((span) => span.from === module.from);
  const href = (span: StoredModule | undefined) => span && links.module(span, { at: span.from, all: call.query("all") });
  const others = history.filter((_, i) => i !== place).map(({ from }) => from);
  const choice = versionChoice("from", others.toReversed(), times, history[place - 1]?.from);
  const form = html`<form action="${links.diff(module)}">${hidden("to", module.from)}
<label>What changed since ${choice}</label> <button>Compare</button></form>`;
  const steps = { place: `version ${place + 1} of ${history.length}`, older: href(history[place - 1]), newer: href(history[place + 1]) };
  return versionSteps({ label: "Versions held", ...steps }, others.length > 0 && form);
}

/** The versions of a module, newest first: each a link to the module as it was, and to what changed. */
function moduleTimeline(of: ShownModule): Html {
  const item = (span: StoredModule): Html => {
    const change = changeTo(span, of.changes);
    const what =
      change === undefined ? "first seen" : change.from === null ? "added" : change.abiChanged === false ? "code only" : "interface";
    const isNow = span.from === of.shown.module.from;
    const href = isNow ? undefined : of.links.module(span, { at: span.from });
    const exact = change?.isExact === true && html` <span class="dim small">exactly at ${grouped(change.atOrBeforeVersion)}</span>`;
    return timelineItem(of, span, { what, href, isNow, beside: exact });
  };
  return timelineOf(of.history.toReversed().map(item), LISTED);
}

async function sourceOf(of: ShownModule, all: boolean): Promise<Html> {
  const { call, shown, content } = of;
  if (content.kind === "unreadable") return nothing(html`The bytes are held and cannot be read: ${content.reason}.`);
  const about = commentLines([...(await aboutModule(call.archive.modules, shown)), ...aboutContent(content)]);
  const room = { left: TYPES_MAX };
  const source = about + formatInterface(printedModule(content), { all, withErrors: false, room });
  return linkedSource(of, source, { label: "Interface as Move source", file: "abi.json", room, id: "source" });
}

/** Who uses a module, as far as that is known, what it uses, and its friends. */
async function relations({ call: { archive }, version, id, printed, isHeld, links, at }: ShownModule): Promise<Html> {
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
