import type { ModuleAbi } from "../../../core/abi/model.ts";
import type { Room } from "../../../core/abi/print/interface-text.ts";
import { printable } from "../../../core/base/printable.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { parseAddress } from "../../../core/move/address.ts";
import { formatModuleId, isIdentifier, isSameModule, type ModuleId } from "../../../core/move/module-id.ts";
import { type Bounded, bounded, type Html, html, type Part } from "../../changes/pages/html.ts";
import type { Links } from "../../changes/pages/page-links.ts";
import { sourceBox } from "../../pages/html/elements.ts";

export type SourceLinks = {
  /** Where a module is shown; undefined for one that is not held. */
  readonly module: (id: ModuleId) => string | undefined;
  /** Where an item of a module is shown; undefined for a module that is not held. */
  readonly item: (id: ModuleId, item: string) => string | undefined;
  /** Whether definitions carry the names that links lead to: once on a page. */
  readonly withAnchors: boolean;
};

const KEYWORDS = new Set(
  "module use as friend public package entry native fun struct enum const has acquires phantom mut copy drop store key Self".split(" "),
);
const TYPES = new Set("bool u8 u16 u32 u64 u128 u256 i8 i16 i32 i64 i128 i256 address signer vector".split(" "));
const DEFINITIONS: Readonly<Record<string, string>> = { fun: "fun", struct: "struct", enum: "struct", const: "error" };

/** What a line of Move source is made of. */
const TOKENS = new RegExp(
  [
    /(?<comment>\/\/.*)/,
    /(?<attribute>#\[.*\])/,
    /(?<path>0x[0-9a-f]+::[A-Za-z_$][\w$]*(?:::[A-Za-z_$][\w$]*)?)/,
    /(?<number>\b0x[0-9a-f]+\b|\b\d+\b)/,
    /(?<word>[A-Za-z_$][\w$]*(?:::[A-Za-z_$][\w$]*)?)/,
    /(?<other>[^\w$#/]+|.)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Whether the source has a place of this name: what is called otherwise than Move allows, or at great length, has none. */
export function isAnchor(anchor: string): boolean {
  return /^(?:fun|struct|error)\.[A-Za-z_$][\w$]{0,300}$/.test(anchor);
}

/** A source by its module, with what its short names stand for: structs by the modules that have them, and modules. */
type Source = {
  readonly abi: ModuleAbi;
  readonly structs: ReadonlyMap<string, ModuleId>;
  readonly modules: ReadonlyMap<string, ModuleId>;
  readonly links: SourceLinks;
};

/** The source of a module as HTML, which is made of the lines that are asked for; `within` gives those that a page has room for. */
export type SourceLines = { readonly htmlOf: (line: number) => Html; readonly within: (page: Bounded) => Html };

/**
 * The source of a module as lines of HTML: its words in colours, every type, module and friend a link. The text of the lines
 * is the source, character for character. What the short names mean is read from its own `use` lines.
 */
export function sourceLines(text: string, abi: ModuleAbi, links: SourceLinks): SourceLines {
  const lines = text.replace(/\n$/, "").split("\n");
  const source = { abi, links, ...readNames(lines, abi) };
  const variants = variantLines(lines);
  const htmlOf = (line: number): Html => lineHtml(lines[line] ?? "", source, variants.has(line));
  const lineWithin = (words: string, line: number): Html => {
    const made = words.length > LINE_MAX ? undefined : htmlOf(line);
    return made !== undefined && made.text.length <= LINE_HTML_MAX ? html`${made}\n` : html`${printable(words, LINE_MAX)}\n`;
  };
  return { htmlOf, within: (page) => html`${lines.map((words, line) => page.show(() => lineWithin(words, line)))}` };
}

/** Characters of HTML of a source on a page, and of one of its lines: a longer one is shown without links. */
const [SOURCE_MAX, LINE_HTML_MAX] = [1_000_000, 200_000];
/** Characters of a line, and of all types that are printed. */
const [LINE_MAX, TYPES_MAX] = [20_100, 2_000_000];

export const sourceRoom = (): Room => ({ left: TYPES_MAX });

/** A source as far as a page has room for it. `file` has all of it: its name and its address. */
export function boundedSource(label: string, lines: SourceLines, { file: [name, href], room, id, most = SOURCE_MAX }: SourceBounds): Html {
  const page = bounded(most);
  const source = sourceBox(label, lines.within(page), id);
  if (room !== undefined && room.left <= 0) page.leaveOut();
  return html`${source}${page.ending(href, `${name} has all of it`)}`;
}

export type SourceBounds = {
  readonly file: readonly [name: string, href: string];
  /** The room that the source was printed in. */
  readonly room?: Room;
  readonly id?: string;
  /** Characters of HTML. */
  readonly most?: number;
};

/** The lines that begin with the name of an enum's variant, which is no type. */
function variantLines(texts: readonly string[]): ReadonlySet<number> {
  const variants = new Set<number>();
  let isInEnum = false;
  for (const [i, line] of texts.entries()) {
    if (/^ {4}(?:native |public |public\(friend\) )*enum /.test(line)) isInEnum = true;
    else if (line === "    }") isInEnum = false;
    if (isInEnum && /^ {8}\S/.test(line)) variants.add(i);
  }
  return variants;
}

function readNames(lines: readonly string[], abi: ModuleAbi): Pick<Source, "structs" | "modules"> {
  const structs = new Map<string, ModuleId>(abi.structs.map(({ name }) => [name, abi]));
  const modules = new Map<string, ModuleId>();
  for (const line of lines) {
    const [, account = "", name = "", as, several, one = ""] =
      /^ {4}use (0x[0-9a-f]+)::([\w$]+)(?: as ([\w$]+))?(?:::(?:\{(.+)\}|([\w$]+)))?;$/.exec(line) ?? [];
    const address = parseAddress(account);
    if (address === undefined) continue;
    const id: ModuleId = { address, name };
    const imported = (several ?? one).split(", ");
    const self = imported.find((name) => name === "Self" || name.startsWith("Self as "));
    if (several === undefined || self !== undefined) modules.set(self?.slice("Self as ".length) || as || name, id);
    for (const name of imported) if (name !== self && name !== "") structs.set(name, id);
  }
  return { structs, modules };
}

function lineHtml(line: string, source: Source, isVariant: boolean): Html {
  const tokens = [...line.matchAll(TOKENS)];
  let before = "";
  const parts = tokens.map((token, i): Part => {
    const [text] = token;
    const { comment, attribute, path, number, word } = token.groups ?? {};
    if (comment !== undefined) return html`<span class="co">${text}</span>`;
    if (attribute !== undefined) return html`<span class="at">${text}</span>`;
    if (path !== undefined) return pathHtml(path, source.links);
    if (number !== undefined) return html`<span class="nu">${text}</span>`;
    if (word === undefined) return text;
    const isName = (isVariant && before === "") || /^:(?!:)/.test(tokens[i + 1]?.[0] ?? "");
    const shown = wordHtml(word, before, isName, source);
    before = word;
    return shown;
  });
  return html`${parts}`;
}

function wordHtml(word: string, before: string, isName: boolean, { abi, structs, modules, links }: Source): Part {
  const kind = DEFINITIONS[before];
  if (kind !== undefined) {
    const anchor = `${kind}.${word}`;
    return links.withAnchors && isAnchor(anchor)
      ? html`<a class="def" id="${anchor}" href="${links.item(abi, word) ?? `#${anchor}`}">${word}</a>`
      : html`<span class="def">${word}</span>`;
  }
  if (isName) return word;
  const [qualifier = "", item] = word.split("::");
  if (item !== undefined) {
    const id = modules.get(qualifier);
    return id === undefined ? word : typeLink(links.item(id, item), word);
  }
  if (KEYWORDS.has(word)) return html`<span class="kw">${word}</span>`;
  const owner = structs.get(word);
  if (owner === undefined) return TYPES.has(word) ? typeLink(undefined, word) : word;
  return typeLink(isSameModule(owner, abi) && links.withAnchors ? `#struct.${word}` : links.item(owner, word), word);
}

function typeLink(href: string | undefined, word: string): Html {
  return href === undefined ? html`<span class="ty">${word}</span>` : html`<a class="ty" href="${href}">${word}</a>`;
}

function pathHtml(path: string, links: SourceLinks): Part {
  const [account = "", name = "", item] = path.split("::");
  const address = parseAddress(account);
  if (address === undefined || !isIdentifier(name)) return path;
  const href = item === undefined ? links.module({ address, name }) : links.item({ address, name }, item);
  return href === undefined ? path : html`<a href="${href}">${path}</a>`;
}

/** Tells of modules that a module names whether they are held at the same version: to others no link leads. */
export type IsHeld = (id: ModuleId) => boolean;

/** More names than this are not looked up; the rest counts as not held. */
const LOOKED_UP = 500;

export async function heldModules(archive: ModuleArchive, abi: ModuleAbi, version: bigint): Promise<IsHeld> {
  const named = [abi, ...abi.dependencies, ...abi.friends].slice(0, LOOKED_UP).map(({ address, name }) => ({ address, name }));
  const held = new Set((await archive.standingAmong(named, version)).map(formatModuleId));
  return (id) => held.has(formatModuleId(id));
}

/** Links of a source: to modules, and to items by their own pages, at the version of a page's address; none to what is not held. */
export function heldLinks(isHeld: IsHeld, links: Links, at: string | undefined): Pick<SourceLinks, "module" | "item"> {
  return {
    module: (id) => (isHeld(id) ? links.module(id, { at }) : undefined),
    item: (id, item) => (isHeld(id) ? links.item(id, item, { at }) : undefined),
  };
}
