import type { Room } from "../../../core/abi/print/interface-text.ts";
import { printable } from "../../../core/base/printable.ts";
import type { StoredModule } from "../../../core/db/archive/read/module-archive.ts";
import { printedModule, resolveModule } from "../../../core/questions/resolve-module.ts";
import { changeQueries, type ModuleChange } from "../../changes/judge/changes.ts";
import { bounded, type Html, html, type Part } from "../../changes/pages/html.ts";
import { sourceBox } from "../../pages/html/elements.ts";
import { accountLink, atVersion, madeAt, num, shortName } from "../../pages/html/texts.ts";
import { type PageCall, readSubject } from "../../pages/page.ts";
import { gapBanner } from "../coverage/gaps-page.ts";
import { timesOf } from "../version-times.ts";
import { heldModules, type LineHtml, sourceHtml } from "./source-html.ts";

/** A module at the version that a page's address names, with what its page and those of its items say of it. */
export type ShownModule = Awaited<ReturnType<typeof readShown>>;

/** Changes of one module that are looked at. */
const CHANGES = 500;

/** The module of a page's address. @throws NotHeldError saying what is held instead */
export async function readShown(call: PageCall) {
  const { links } = call;
  const { modules, engine } = call.archive;
  const shown = await resolveModule(modules, readSubject(call));
  const { module, version } = shown;
  const id = { address: module.address, name: module.name };
  const content = await modules.content(module);
  /** Undefined where the bytes cannot be read. */
  const printed = content.kind === "unreadable" ? undefined : printedModule(content);
  const isHeld = printed === undefined ? () => false : await heldModules(modules, printed.abi, version);
  /** Its versions, the oldest first, of which one is shown; when they were made, and what is known of the changes between them. */
  const history = await modules.historyOf(id);
  const times = await timesOf(engine, [version, ...history.map(({ from }) => from)]);
  const changes = await changeQueries(engine).changesOf({ address: id.address, module: id.name }, CHANGES);
  /** The version in the address of the page, which its links keep. */
  const at = call.query("at");
  return { call, links, shown, id, version, at, content, printed, isHeld, history, times, changes };
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
${at === undefined && (await gapBanner(archive.modules, links, id.address, version))}`;
}

/** Makes lines of Move source HTML: types and functions of modules that are held lead to their own pages. */
export function linked({ content, isHeld, links, at }: ShownModule, lines: readonly string[], withAnchors = false): LineHtml {
  return sourceHtml(lines, printedModule(content).abi, {
    to: (id, item) => (!isHeld(id) ? undefined : item === undefined ? links.module(id, { at }) : links.item(id, item, { at })),
    withAnchors,
  });
}

/** Characters of HTML of a source on a page, and of one of its lines: a longer one, and one of so many characters, has no links. */
const [SOURCE_MAX, LINE_HTML_MAX, LINE_MAX] = [1_000_000, 200_000, 20_100];

type SourceOptions = {
  readonly label: string;
  /** The file of the module that has all of it. */
  readonly file: "abi.json" | "bytecode.mv";
  /** The room that it was printed in. */
  readonly room?: Room;
  /** Names the source of a page, whose definitions have places of their own. */
  readonly id?: string;
  /** Characters of HTML. */
  readonly most?: number;
};

/** Move source with links, as far as a page has room for it. */
export function linkedSource(of: ShownModule, source: string, { label, file, room, id, most = SOURCE_MAX }: SourceOptions): Html {
  const page = bounded(most);
  const lines = source.replace(/\n$/, "").split("\n");
  const htmlOf = linked(of, lines, id !== undefined);
  const shown = lines.map((line) =>
    page.show(() => {
      const made = line.length > LINE_MAX ? undefined : htmlOf(line);
      return made !== undefined && made.text.length <= LINE_HTML_MAX ? html`${made}\n` : html`${printable(line, LINE_MAX)}\n`;
    }),
  );
  if (room !== undefined && room.left <= 0) page.leaveOut();
  return html`${sourceBox(label, shown, id)}${page.ending(of.links.file(of.id, file, { at: of.at }), `${file} has all of it`)}`;
}

/** The change that led to a version of the module. */
export function changeTo(span: StoredModule, changes: readonly ModuleChange[]): ModuleChange | undefined {
  return changes.find(
    ({ to, afterVersion, atOrBeforeVersion }) => to === span.sha256 && afterVersion < span.from && atOrBeforeVersion <= span.from,
  );
}

/** What a timeline says of a version; without `href` it has no page, or is the one that is shown. */
type Event = Readonly<{ what: string; href: string | undefined; isNow: boolean; beside?: Part; below?: Part }>;

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
