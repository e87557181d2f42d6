import type { FunctionAbi, ModuleAbi } from "../../abi/model.ts";
import { formatInterface, isOpen } from "../../abi/print/interface-text.ts";
import { aboutContent, aboutModule, commentLines, printedModule } from "../../ask/module-source.ts";
import { type ResolvedModule, resolveModule } from "../../ask/resolve-module.ts";
import { plural } from "../../base/plural.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { StoredContent } from "../../store/content/stored-content.ts";
import type { StoredModule } from "../../store/read/module-archive.ts";
import { type Html, html } from "../html/html.ts";
import { accountLink, count, nothing, shortName } from "../html/texts.ts";
import type { PageCall, PageHandler } from "../page.ts";
import { readSubject } from "../subject.ts";
import { heldModules, type IsHeld } from "./held-modules.ts";
import { relations } from "./relations.ts";
import { isAnchor, sourceLines } from "./source-html.ts";
import { moduleTimeline } from "./timeline.ts";

/** Modules of a list that are shown before the rest is folded. */
const LISTED = 12;

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
  const body = html`<p class="crumbs">${accountLink(links, id.address, at === undefined ? undefined : version)} ::</p>
<h1><span class="mono">${shortName(id.name, 80)}</span></h1>
<p>At version <span class="num">${count(version)}</span>${standingWords(shown)}${at === undefined ? "" : html` · <a href="${links.module(id)}">newest</a>`}</p>
${tabs(call, shown, content, history)}
<div class="split"><div>${await sourceView(call, shown, content, { all, isHeld })}</div>
<aside class="side">${content.kind === "unreadable" ? "" : itemIndex(printedModule(content).abi, all)}
${await relations(call, id, version, { content, isHeld })}
<h2>Versions held</h2>${moduleTimeline(history, await archive.store.changesOf({ address: id.address, module: id.name }, 500), module, links)}
<h2>Bytes</h2><p class="small mono dim">${module.sha256}</p><p class="small dim">SHA-256 of ${plural(module.size, "byte")}</p></aside></div>`;
  return { title: `${shortName(id.name)} · ${id.address}`, body };
};

function standingWords({ module, version, between }: ResolvedModule): Html {
  if (between !== undefined)
    return html`, which was not read: the same stood at <span class="num">${count(between[0])}</span> and <span class="num">${count(between[1])}</span>`;
  return module.from === version ? html`` : html`, unchanged since <span class="num">${count(module.from)}</span>`;
}

function tabs({ links, query }: PageCall, { module }: ResolvedModule, content: StoredContent, history: readonly StoredModule[]): Html {
  const at = query("at");
  const all = query("all") !== undefined;
  const hidden = content.kind === "unreadable" ? 0 : printedModule(content).abi.functions.filter((fn) => !isOpen(fn)).length;
  const previous = history.findLast(({ from }) => from < module.from);
  return html`<div class="tabs">${hidden === 0 ? "" : all ? html`<a class="button" href="${links.module(module, { at })}" aria-current="true">Private functions shown</a>` : html`<a class="button" href="${links.module(module, { at, all: 1 })}">Show ${plural(hidden, "private function")}</a>`}
${previous === undefined ? "" : html`<a class="button" href="${links.diff(module, { from: previous.from, to: module.from })}">Compare with the version before</a>`}
<a class="button" href="${links.file(module, "bytecode.mv", { at })}">Bytecode</a>${content.kind === "unreadable" ? "" : html`<a class="button" href="${links.file(module, "abi.json", { at })}">ABI as JSON</a><a class="button" href="${links.file(module, "typings.tar", { at })}">TypeScript types</a>`}</div>`;
}

async function sourceView(
  { archive, links, query }: PageCall,
  shown: ResolvedModule,
  content: StoredContent,
  { all, isHeld }: { readonly all: boolean; readonly isHeld: IsHeld },
): Promise<Html> {
  const about = commentLines([...(await aboutModule(archive.modules, shown)), ...aboutContent(content)]);
  if (content.kind === "unreadable") return html`${nothing(html`The bytes are held and cannot be read: ${content.reason}.`)}`;
  const module = printedModule(content);
  const at = query("at");
  const lines = sourceLines(about + formatInterface(module, { all }), module.abi, {
    module: (id, anchor) => (isHeld(id) ? links.module(id, { at }, anchor) : undefined),
    withAnchors: true,
  });
  return html`<div class="source" tabindex="0" role="region" aria-label="Interface as Move source"><pre id="source">${lines.texts.map(
    (_, i) => html`${lines.htmlOf(i)}
`,
  )}</pre></div>`;
}

/** The items of the module by kind, each a link into the source. */
function itemIndex({ functions, structs, errors }: ModuleAbi, all: boolean): Html {
  const entry = (anchor: string, name: string) =>
    isAnchor(anchor)
      ? html`<li><a class="mono" href="#${anchor}">${shortName(name, 40)}</a></li>`
      : html`<li class="mono">${shortName(name, 40)}</li>`;
  const list = (title: string, anchors: readonly (readonly [string, string])[]): Html =>
    anchors.length === 0
      ? html``
      : html`<details${openIf(anchors.length <= LISTED)}><summary>${title} <span class="dim">${anchors.length}</span></summary><ul>${anchors.map(([anchor, name]) => entry(anchor, name))}</ul></details>`;
  const of = (choose: (fn: FunctionAbi) => boolean) => functions.filter(choose).map(({ name }) => [`fun.${name}`, name] as const);
  const isPlain = (fn: FunctionAbi): boolean => isOpen(fn) && !fn.isEntry && !fn.isView;
  return html`<h2>In this module</h2>${list(
    "Entry functions",
    of((fn) => fn.isEntry),
  )}${list(
    "View functions",
    of((fn) => fn.isView && !fn.isEntry),
  )}${list("Other open functions", of(isPlain))}${
    all
      ? list(
          "Private functions",
          of((fn) => !isOpen(fn)),
        )
      : ""
  }${list(
    "Structs and enums",
    structs.map(({ name }) => [`struct.${name}`, name] as const),
  )}${list(
    "Error codes",
    errors.map(({ code, name }) => [`error.${name}`, `${code} ${name}`] as const),
  )}`;
}

function openIf(isOpenNow: boolean): Html {
  return isOpenNow ? html` open` : html``;
}
