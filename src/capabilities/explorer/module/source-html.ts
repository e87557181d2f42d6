import type { ModuleAbi } from "../../../core/abi/model.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { parseAddress } from "../../../core/move/address.ts";
import { formatModuleId, isIdentifier, isSameModule, type ModuleId } from "../../../core/move/module-id.ts";
import { type Html, html, type Part } from "../../changes/pages/html.ts";

export type SourceLinks = {
  /** Where a module, or an item of it, is shown; undefined for a module that is not held. */
  readonly to: (id: ModuleId, item?: string) => string | undefined;
  /** Whether definitions carry the names that links lead to: once on a page. */
  readonly withAnchors?: boolean;
};

const KEYWORDS = new Set(
  "module use as friend public package entry native fun struct enum const has acquires phantom mut copy drop store key Self".split(" "),
);
const TYPES = new Set("bool u8 u16 u32 u64 u128 u256 i8 i16 i32 i64 i128 i256 address signer vector".split(" "));
const DEFINITIONS = new Map([
  ["fun", "fun"],
  ["struct", "struct"],
  ["enum", "struct"],
  ["const", "error"],
]);

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
  /** Names of enums' variants, which are no types where a line begins with them. */
  readonly variants: ReadonlySet<string>;
  readonly links: SourceLinks;
};

/** A line of Move source as HTML. */
export type LineHtml = (line: string) => Html;

/**
 * Makes lines of a module's source HTML: words in colours, every type, module and friend a link, the text character for character. What the
 * short names mean is read from the `use` lines.
 */
export function sourceHtml(lines: readonly string[], abi: ModuleAbi, links: SourceLinks): LineHtml {
  const variants = new Set(abi.structs.flatMap((struct) => struct.variants.map(({ name }) => name)));
  const source = { abi, links, variants, ...readNames(lines, abi) };
  return (line) => lineHtml(line, source);
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

function lineHtml(line: string, source: Source): Html {
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
    const isName = (before === "" && source.variants.has(word)) || /^:(?!:)/.test(tokens[i + 1]?.[0] ?? "");
    const shown = isName && !DEFINITIONS.has(before) ? word : wordHtml(word, before, source);
    before = word;
    return shown;
  });
  return html`${parts}`;
}

function wordHtml(word: string, before: string, { abi, structs, modules, links }: Source): Part {
  const kind = DEFINITIONS.get(before);
  if (kind !== undefined) {
    const anchor = `${kind}.${word}`;
    return links.withAnchors && isAnchor(anchor)
      ? html`<a class="def" id="${anchor}" href="${links.to(abi, word) ?? `#${anchor}`}">${word}</a>`
      : html`<span class="def">${word}</span>`;
  }
  const [qualifier = "", item] = word.split("::");
  if (item !== undefined) {
    const id = modules.get(qualifier);
    return id === undefined ? word : typeLink(links.to(id, item), word);
  }
  if (KEYWORDS.has(word)) return html`<span class="kw">${word}</span>`;
  const owner = structs.get(word);
  if (owner === undefined) return TYPES.has(word) ? typeLink(undefined, word) : word;
  return typeLink(isSameModule(owner, abi) && links.withAnchors ? `#struct.${word}` : links.to(owner, word), word);
}

function typeLink(href: string | undefined, word: string): Html {
  return href === undefined ? html`<span class="ty">${word}</span>` : html`<a class="ty" href="${href}">${word}</a>`;
}

function pathHtml(path: string, links: SourceLinks): Part {
  const [account = "", name = "", item] = path.split("::");
  const address = parseAddress(account);
  const href = address !== undefined && isIdentifier(name) ? links.to({ address, name }, item) : undefined;
  return href === undefined ? path : html`<a href="${href}">${path}</a>`;
}

/** More names than this are not looked up; the rest counts as not held. */
const LOOKED_UP = 500;

/** Tells of modules that a module names whether they are held at the same version: to others no link leads. */
export async function heldModules(archive: ModuleArchive, abi: ModuleAbi, version: bigint): Promise<(id: ModuleId) => boolean> {
  const named = [abi, ...abi.dependencies, ...abi.friends].slice(0, LOOKED_UP).map(({ address, name }) => ({ address, name }));
  const held = new Set((await archive.standingAmong(named, version)).map(formatModuleId));
  return (id) => held.has(formatModuleId(id));
}
