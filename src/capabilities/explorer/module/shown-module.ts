import type { PrintedModule } from "../../../core/abi/print/interface-text.ts";
import type { StoredContent } from "../../../core/db/archive/content/stored-content.ts";
import type { StoredModule } from "../../../core/db/archive/read/module-queries.ts";
import type { ModuleId } from "../../../core/move/module-id.ts";
import { printedModule, type ResolvedModule, resolveModule } from "../../../core/questions/resolve-module.ts";
import { changeQueries, type ModuleChange } from "../../changes/judge/changes.ts";
import { type Html, html, type Part } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { accountLink, atVersion, madeAt, num, shortName, type Times } from "../../pages/html/texts.ts";
import { type PageCall, readSubject } from "../../pages/page.ts";
import { gapBanner } from "../coverage/gaps-page.ts";
import { timesOf } from "../version-times.ts";
import { heldModules, type IsHeld } from "./source-html.ts";

/** A module at the version that a page's address names, with what its page and those of its items say of it. */
export type ShownModule = {
  readonly call: PageCall;
  readonly links: Links;
  readonly shown: ResolvedModule;
  readonly id: ModuleId;
  readonly version: bigint;
  /** The version in the address of the page, which its links keep. */
  readonly at: string | undefined;
  readonly content: StoredContent;
  /** Undefined where the bytes cannot be read. */
  readonly printed: PrintedModule | undefined;
  readonly isHeld: IsHeld;
  /** Its versions, the oldest first, of which one is shown; when they were made, and what is known of the changes between them. */
  readonly history: readonly StoredModule[];
  readonly times: Times;
  readonly changes: readonly ModuleChange[];
};

/** Changes of one module that are looked at. */
const CHANGES = 500;

/** The module of a page's address. @throws NotHeldError saying what is held instead */
export async function readShown(call: PageCall): Promise<ShownModule> {
  const { modules, engine } = call.archive;
  const shown = await resolveModule(modules, readSubject(call));
  const { module, version } = shown;
  const id = { address: module.address, name: module.name };
  const content = await modules.content(module);
  const printed = content.kind === "unreadable" ? undefined : printedModule(content);
  const history = await modules.historyOf(id);
  const times = await timesOf(engine, [version, ...history.map(({ from }) => from)]);
  const changes = await changeQueries(engine).changesOf({ address: id.address, module: id.name }, CHANGES);
  const isHeld = printed === undefined ? () => false : await heldModules(modules, printed.abi, version);
  return { call, links: call.links, shown, id, version, at: call.query("at"), content, printed, isHeld, history, times, changes };
}

/** What heads the page of a module, or of a thing in it: whose it is, its name, at which version, and whether that is the newest. */
export async function headOf(
  { call: { archive }, links, id, version, at, times }: Pick<ShownModule, "call" | "links" | "id" | "version" | "at" | "times">,
  { item, kind, beside }: { readonly item?: string; readonly kind?: Part; readonly beside?: Part },
): Promise<Html> {
  const account = accountLink(links, id.address, at === undefined ? undefined : version);
  const module = item !== undefined && html` <a class="mono" href="${links.module(id, { at })}">${shortName(id.name)}</a> ::`;
  return html`<p class="crumbs">${account} ::${module}</p>
<h1><span class="mono">${shortName(item ?? id.name, 80)}</span>${kind && html` <span class="dim">${kind}</span>`}</h1>
<p>${atVersion(version, times)}${beside}</p>
${at === undefined && (await gapBanner(archive.modules, id.address, version))}`;
}

/** The change that led to a version of the module. */
export function changeTo(span: StoredModule, changes: readonly ModuleChange[]): ModuleChange | undefined {
  return changes.find(
    ({ to, afterVersion, atOrBeforeVersion }) => to === span.sha256 && afterVersion < span.from && atOrBeforeVersion <= span.from,
  );
}

/** What a timeline says of a version; without `href` it has no page, or is the one that is shown. */
type Event = {
  readonly what: string;
  readonly href: string | undefined;
  readonly isNow: boolean;
  readonly beside?: Part;
  readonly below?: Part;
};

/** A version in a timeline, with when it was made and a link to what changed in it. */
export function timelineItem({ links, history, changes, times }: ShownModule, span: StoredModule, event: Event): Html {
  const { what, href, isNow, beside, below } = event;
  const before = history[history.indexOf(span) - 1];
  const number = href === undefined ? html`<b>${num(span.from)}</b>` : html`<a href="${href}">${num(span.from)}</a>`;
  const made = madeAt(changeTo(span, changes) ?? times.get(span.from));
  const compare =
    before !== undefined &&
    before.sha256 !== span.sha256 &&
    html` · <a href="${links.diff(span, { from: before.from, to: span.from })}">compare</a>`;
  const about = html`<span class="small"><span class="dim">${what}</span>${beside}${made}${compare}</span>`;
  return html`<li${isNow && html` class="now"`}>${number} ${about}${below}</li>`;
}
