import { isExposed } from "../../../core/abi/model.ts";
import { formatNodeAbi } from "../../../core/abi/node-json/format.ts";
import { formatInterface, type PrintedModule } from "../../../core/abi/print/interface-text.ts";
import { type Html, html } from "../../../core/base/html.ts";
import { plural } from "../../../core/base/plural.ts";
import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import { changeQueries } from "../../../core/db/archive/read/changes.ts";
import { timesOf } from "../../../core/db/archive/times/ledger-times.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import type { QueryValues } from "../../../core/questions/page-links.ts";
import {
  aboutContent,
  aboutModule,
  commentLines,
  printedModule,
  type ResolvedModule,
  resolveModule,
} from "../../../core/questions/resolve-module.ts";
import { gapBanner } from "../coverage/gaps-page.ts";
import {
  accountLink,
  atVersion,
  count,
  folded,
  lookedFor,
  madeAt,
  moduleLink,
  nothing,
  shortAddress,
  shortName,
  tabButton,
} from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readSubject } from "../parameters.ts";
import {
  errorsReached,
  errorTable,
  functionTable,
  itemsSince,
  type ModuleVersions,
  moduleTimeline,
  shownFunctions,
  structList,
  versionLine,
} from "./module-views.ts";
import { boundedSource, heldLinks, heldModules, type IsHeld, sourceLines, sourceRoom } from "./source-html.ts";

type ModuleView = ModuleVersions & {
  readonly call: PageCall;
  readonly shown: ResolvedModule;
  readonly content: StoredContent;
  /** Undefined where the bytes cannot be read. */
  readonly printed: PrintedModule | undefined;
  readonly isHeld: IsHeld;
  /** The version in the address of the page, which its links keep. */
  readonly at: string | undefined;
  /** Whether private functions are shown. */
  readonly all: boolean;
};

/** `/module/{address}/{name}`: the interface at a version, who uses it and what it uses, its versions, downloads. */
export const modulePage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const shown = await resolveModule(archive.modules, readSubject(call));
  const { module, version } = shown;
  const content = await archive.modules.content(module);
  const printed = content.kind === "unreadable" ? undefined : printedModule(content);
  const history = await archive.modules.historyOf({ address: module.address, name: module.name });
  const times = await timesOf(archive.modules.engine, [version, ...history.map(({ from }) => from)]);
  const changes = await changeQueries(archive.engine).changesOf({ address: module.address, module: module.name }, 500);
  const isHeld = printed === undefined ? () => false : await heldModules(archive.modules, printed.abi, version);
  const [at, all] = [query("at"), query("all") !== undefined];
  const view: ModuleView = { call, shown, content, printed, isHeld, current: module, history, changes, times, links, at, all };
  const newest = at === undefined || history.at(-1)?.to !== null ? "" : html` · <a href="${links.module(module)}">newest</a>`;
  const isSource = printed === undefined || query("show") === "source";
  const body = html`<p class="crumbs">${accountLink(links, module.address, at === undefined ? undefined : version)} ::</p>
<h1><span class="mono">${shortName(module.name, 80)}</span></h1>
<p>${atVersion(version, times.get(version))}${standingText(view)}${newest}</p>
${at === undefined ? await gapBanner(archive.modules, module.address, version) : ""}
${tabs(view, isSource)}
<div class="split"><div>${await tabView(view, isSource)}</div>
<aside class="side"><h2>Versions held</h2>${versionLine(view, query("all"))}${moduleTimeline(view)}
${await relations(view)}<h2>Bytes</h2>${bytes(view)}</aside></div>`;
  return { title: `${shortName(module.name)} · ${module.address}`, body };
};

function standingText({ shown: { module, version, between }, times }: ModuleView): Html {
  const number = (at: bigint): Html => html`<span class="num">${count(at)}</span>`;
  if (between !== undefined) return html`, which was not read: the same stood at ${number(between[0])} and ${number(between[1])}`;
  return module.from === version ? html`` : html`, unchanged since ${number(module.from)}${madeAt(times.get(module.from))}`;
}

function tabs({ current, printed, links, at, all }: ModuleView, isSource: boolean): Html {
  const hidden = printed?.abi.functions.filter((fn) => !isExposed(fn)).length ?? 0;
  const [show, every] = [isSource ? "source" : undefined, all ? 1 : undefined];
  const tab = (words: string, isNow: boolean, query: QueryValues): Html => tabButton(links.module(current, { at, ...query }), words, isNow);
  const buttons = [
    printed && tab("Functions", !isSource, { all: every }),
    tab("Source", isSource, { all: every, show: "source" }),
    hidden > 0 &&
      tab(all ? "Private functions shown" : `Show ${plural(hidden, "private function")}`, all, { show, all: all ? undefined : 1 }),
  ];
  return html`<div class="tabs">${buttons}</div>`;
}

function bytes({ current, printed, links, at }: ModuleView): Html {
  const file = (name: string, words: string): Html => html`<a href="${links.file(current, name, { at })}">${words}</a>`;
  return html`<p>${file("bytecode.mv", "Bytecode")}${printed && html` · ${file("abi.json", "ABI as JSON")}`}</p>
<p class="small mono dim">${current.sha256}</p><p class="small dim">SHA-256 of ${plural(current.size, "byte")}</p>`;
}

async function tabView(view: ModuleView, isSource: boolean): Promise<Html> {
  const errors = view.printed && errorTable(view.printed.abi, pagesOf(view));
  return html`${isSource ? await sourceView(view) : await itemsView(view)}${errors}`;
}

/** Where its items lead. */
function pagesOf({ current, links, at }: ModuleView) {
  return {
    item: (name: string) => links.item(current, name, { at }),
    error: (code: bigint) => links.error(current, code, { at }),
  };
}

/** Its functions and structs, each of which leads to its own page. */
async function itemsView(view: ModuleView): Promise<Html> {
  const {
    call: { archive },
    content,
    printed,
    history,
    current,
    times,
    all,
  } = view;
  if (printed === undefined) return html``;
  const pages = pagesOf(view);
  const functions = shownFunctions(printed.abi, all);
  const facts = { errors: errorsReached(content), since: await itemsSince(archive.modules, history, current), times };
  const shown = functions.length === 0 ? nothing("No function that can be called.") : functionTable(functions, facts, pages);
  return html`<h2>Functions <span class="dim">${count(functions.length)}</span></h2>${shown}
${structList(printed.abi.structs, facts, pages)}`;
}

async function sourceView({ call, shown, content, current, isHeld, links, at, all }: ModuleView): Promise<Html> {
  if (content.kind === "unreadable") return nothing(html`The bytes are held and cannot be read: ${content.reason}.`);
  const printed = printedModule(content);
  const about = commentLines([...(await aboutModule(call.archive.modules, shown)), ...aboutContent(content)]);
  const room = sourceRoom();
  const source = about + formatInterface(printed, { all, withErrors: false, room });
  const lines = sourceLines(source, printed.abi, { ...heldLinks(isHeld, links, at), withAnchors: true });
  const file = ["abi.json", links.file(current, "abi.json", { at })] as const;
  return boundedSource("Interface as Move source", lines, { file, room, id: "source" });
}

/** Modules of a list that are shown before the rest is folded. */
const LISTED = 12;

/** Who uses a module, as far as that is known, what it uses, and its friends. */
async function relations({ call: { archive }, shown: { version }, current, printed, isHeld, links, at }: ModuleView): Promise<Html> {
  const users = await archive.modules.referring(current, version);
  const abi = printed?.abi;
  const entry = (module: ModuleId, isThere: boolean): Html => {
    const isBare = module.address === current.address;
    if (isThere) return html`<li>${moduleLink(links, module, { ...(at === undefined ? {} : { at: version }), isBare })}</li>`;
    const name = html`${isBare ? "" : `${shortAddress(module.address)}::`}${shortName(module.name)}`;
    return html`<li><span class="mono">${name}</span> <span class="dim small">not held</span></li>`;
  };
  const list = (modules: readonly ModuleId[], isThere: (module: ModuleId) => boolean): Html => {
    const entries = modules.map((module) => entry(module, isThere(module)));
    return folded(entries, LISTED, (some) => html`<ul>${some}</ul>`);
  };
  const friends =
    abi === undefined || abi.friends.length === 0
      ? ""
      : html`<h2>Friends <span class="dim">${abi.friends.length}</span></h2>${list(abi.friends, isHeld)}`;
  const where = lookedFor(await archive.modules.coverage(version));
  return html`<h2>Used by <span class="dim">${count(users.length)}</span></h2>${list(users, () => true)}<p class="small dim">${where}</p>
<h2>Uses <span class="dim">${abi?.dependencies.length ?? "unknown"}</span></h2>${list(abi?.dependencies ?? [], isHeld)}${friends}`;
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
