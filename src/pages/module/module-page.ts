import { formatInterface, isOpen } from "../../abi/print/interface-text.ts";
import type { StoredContent } from "../../archive/content/stored-content.ts";
import type { StoredModule } from "../../archive/read/module-archive.ts";
import { plural } from "../../base/plural.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { moduleSide } from "../../questions/diff/module-side.ts";
import { aboutContent, aboutModule, commentLines, printedModule } from "../../questions/module-source.ts";
import { type ResolvedModule, resolveModule } from "../../questions/resolve-module.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";
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
  sourceBox,
  type Times,
} from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readSnapshot, readSubject } from "../subject.ts";
import { heldLinks, heldModules, type IsHeld } from "./held-modules.ts";
import { errorTable, itemIndex } from "./items.ts";
import { sourceLines } from "./source-html.ts";
import { sourcesView } from "./sources-view.ts";
import { moduleTimeline, versionLine } from "./versions.ts";

/** `/module/{address}/{name}`: the interface at a version, who uses it and what it uses, its versions, downloads. */
export const modulePage: PageHandler = async (call) => {
  const { archive, links, query } = call;
  const subject = readSubject(call);
  const shown = await resolveModule(archive.modules, subject);
  const content = await archive.modules.content(shown.module);
  const { module, version } = shown;
  const id: ModuleId = { address: module.address, name: module.name };
  const at = query("at");
  const all = query("all") !== undefined;
  const history = await archive.modules.historyOf(id);
  const isHeld: IsHeld =
    content.kind === "unreadable" ? () => false : await heldModules(archive.modules, printedModule(content).abi, version);
  const changes = await archive.store.changesOf({ address: id.address, module: id.name }, 500);
  const since = await sinceView(call, shown);
  const times = await archive.modules.timesOf([version, ...history.map(({ from }) => from)]);
  // Both lead to places of the source, which the differences stand in the place of.
  const items = content.kind === "unreadable" || since !== undefined ? undefined : printedModule(content).abi;
  const body = html`<p class="crumbs">${accountLink(links, id.address, at === undefined ? undefined : version)} ::</p>
<h1><span class="mono">${shortName(id.name, 80)}</span></h1>
<p>${atVersion(version, links, times.get(version))}${standingText(shown, times, links)}${at === undefined || history.at(-1)?.to !== null ? "" : html` · <a href="${links.module(id)}">newest</a>`}</p>
${versionLine(history, changes, module, links, { all: query("all"), from: query("from"), times })}
${tabs(call, shown, content, history)}
<div class="split"><div>${since ?? (await sourceView(call, shown, content, { all, isHeld }))}${items === undefined ? "" : errorTable(items)}</div>
<aside class="side">${items === undefined ? "" : itemIndex(items, all || links.newest !== undefined, (item) => links.item(id, item, { at }))}
${await relations(call, id, version, { content, isHeld })}
<h2>Versions held</h2>${moduleTimeline(history, changes, module, links, times)}
<h2>Bytes</h2><p class="small mono dim">${module.sha256}</p><p class="small dim">SHA-256 of ${plural(module.size, "byte")}</p></aside></div>`;
  return { title: `${shortName(id.name)} · ${id.address}`, body };
};

function standingText({ module, version, between }: ResolvedModule, times: Times, links: Links): Html {
  if (between !== undefined)
    return html`, which was not read: the same stood at <span class="num">${count(between[0])}</span> and <span class="num">${count(between[1])}</span>`;
  return module.from === version && version !== links.newest
    ? html``
    : html`, unchanged since <span class="num">${count(module.from)}</span>${madeAt(times.get(module.from))}`;
}

function tabs({ links, query }: PageCall, { module }: ResolvedModule, content: StoredContent, history: readonly StoredModule[]): Html {
  const at = query("at");
  const all = query("all") !== undefined;
  const isStatic = links.newest !== undefined;
  const hidden = content.kind === "unreadable" ? 0 : printedModule(content).abi.functions.filter((fn) => !isOpen(fn)).length;
  const previous = history.findLast(({ from }) => from < module.from);
  return html`<div class="tabs">${hidden === 0 || isStatic ? "" : all ? html`<a class="button" href="${links.module(module, { at })}" aria-current="true">Private functions shown</a>` : html`<a class="button" href="${links.module(module, { at, all: 1 })}">Show ${plural(hidden, "private function")}</a>`}
${previous === undefined ? "" : html`<a class="button" href="${links.diff(module, { from: previous.from, to: module.from })}">Compare with the version before</a>`}
<a class="button" href="${links.file(module, "bytecode.mv", { at })}">Bytecode</a>${content.kind === "unreadable" ? "" : html`<a class="button" href="${links.file(module, "abi.json", { at })}">ABI as JSON</a>${isStatic ? "" : html`<a class="button" href="${links.file(module, "typings.tar", { at })}">TypeScript types</a><a class="button" href="${links.file(module, "typings-python.tar", { at })}">Python types</a>`}`}</div>`;
}

async function sourceView(
  { archive, links, query }: PageCall,
  shown: ResolvedModule,
  content: StoredContent,
  { all, isHeld }: { readonly all: boolean; readonly isHeld: IsHeld },
): Promise<Html> {
  const about = commentLines([
    ...(await aboutModule(archive.modules, shown.version === links.newest ? { ...shown, version: shown.module.from } : shown)),
    ...aboutContent(content),
  ]);
  if (content.kind === "unreadable") return html`${nothing(html`The bytes are held and cannot be read: ${content.reason}.`)}`;
  const module = printedModule(content);
  const source = about + formatInterface(module, { all, withErrors: false });
  const lines = sourceLines(source, module.abi, { ...heldLinks(isHeld, links, query("at")), withAnchors: true });
  return sourceBox("Interface as Move source", lines.all(), "source");
}

/** What changed since another version, in the place of the source; undefined when it was not asked for. */
async function sinceView(call: PageCall, { module }: ResolvedModule): Promise<Html | undefined> {
  const { archive, links, query } = call;
  const from = query("from");
  if (from === undefined) return undefined;
  const sides = [
    await moduleSide(archive.modules, module, readSnapshot(from)),
    await moduleSide(archive.modules, module, String(module.from)),
  ] as const;
  const whole = links.diff(module, { from: sides[0].version, to: module.from });
  const differences = await sourcesView(archive.modules, sides, links, {
    isFull: query("full") !== undefined,
    fullLink: `${whole}&full=1`,
  });
  return html`<h2 class="since">Since <span class="num">${count(sides[0].version)}</span><span class="more"><a href="${whole}">findings, who uses it, instructions</a> · <a href="${links.module(module, { at: query("at"), all: query("all") })}">the source alone</a></span></h2>${differences}`;
}

/** Modules of a list that are shown before the rest is folded. */
const LISTED = 12;

/** Who uses a module, as far as that is known, what it uses, and its friends. */
async function relations(
  { archive, links, query }: PageCall,
  id: ModuleId,
  version: bigint,
  { content, isHeld }: { readonly content: StoredContent; readonly isHeld: IsHeld },
): Promise<Html> {
  const users = await archive.modules.dependents(id, version);
  const abi = content.kind === "unreadable" ? undefined : printedModule(content).abi;
  const at = query("at") === undefined ? {} : { at: version };
  const entry = (module: ModuleId, isThere: boolean): Html => {
    const isBare = module.address === id.address;
    if (isThere) return html`<li>${moduleLink(links, module, { ...at, isBare })}</li>`;
    return html`<li><span class="mono">${isBare ? "" : `${shortAddress(module.address)}::`}${shortName(module.name)}</span> <span class="dim small">not held</span></li>`;
  };
  const list = (modules: readonly ModuleId[], isThere: (module: ModuleId) => boolean): Html => {
    const entries = modules.map((module) => entry(module, isThere(module)));
    return folded(entries, LISTED, (some) => html`<ul>${some}</ul>`);
  };
  const friends =
    abi === undefined || abi.friends.length === 0
      ? ""
      : html`<h2>Friends <span class="dim">${abi.friends.length}</span></h2>${list(abi.friends, isHeld)}`;
  return html`<h2>Used by <span class="dim">${count(users.length)}</span></h2>${list(users, () => true)}<p class="small dim">${lookedFor(version, links, await archive.modules.coverage(version))}</p>
<h2>Uses <span class="dim">${abi?.dependencies.length ?? "unknown"}</span></h2>${list(abi?.dependencies ?? [], isHeld)}${friends}`;
}
