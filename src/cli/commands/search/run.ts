import { derivationQueries } from "../../../archive/content/derive.ts";
import { openModuleArchive } from "../../../archive/read/module-archive.ts";
import type { SearchHit, SearchKind } from "../../../archive/search/hits.ts";
import { parseWords } from "../../../archive/search/search.ts";
import { plural } from "../../../base/plural.ts";
import { printable } from "../../../base/printable.ts";
import { ConfigError } from "../../../errors.ts";
import type { Address } from "../../../move/address.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import { searchText } from "../../../questions/search/fallback.ts";
import { readPasted } from "../../../questions/search/pasted.ts";
import { type TypeUse, typeUsesOf, typeUseWords } from "../../../questions/search/type-uses.ts";
import type { Io } from "../../io.ts";
import { rowsToCome } from "../../io.ts";
import type { DatabaseFlags } from "../../options/shared-flags.ts";
import { jsonLine } from "../../output/json-line.ts";
import { painter, wantsColour } from "../../output/terminal.ts";
import { pastedText } from "./pasted-text.ts";
import { searchResult } from "./result.ts";

export type SearchFlags = DatabaseFlags & {
  readonly kind?: readonly SearchKind[];
  readonly account?: readonly Address[];
  readonly all?: boolean;
  readonly limit: number;
};

/** How far a text stands in below the name it belongs to. */
const INDENT = " ".repeat(10);

export async function runSearch(io: Io, given: readonly string[], flags: SearchFlags): Promise<void> {
  const text = given.join(" ");
  const { words: wanted, address: named } = parseWords(text);
  await using modules = await openModuleArchive(flags.db);
  const pasted = flags.kind === undefined && flags.account === undefined ? await readPasted(modules, text) : [];
  if (wanted.length === 0 && pasted.length === 0)
    throw new ConfigError(
      `\`${printable(text, 80)}\` has no word to search for. Give a word with letters or digits, not an address alone.`,
    );
  const addresses = flags.account ?? (named === undefined ? [] : [named]);
  const options = {
    kinds: flags.kind ?? [],
    withGone: flags.all === true,
    limit: flags.limit,
    addresses,
  };
  const found = await searchText(modules.engine, text, options);
  const { words, note } = found;
  const { hits, hasMore, isCut } = found.result;
  if (note !== undefined) io.stderr(`movedex: ${note}\n`);
  const uses = flags.kind === undefined ? await typeUsesOf(modules, hits, words) : [];
  const result = { words, named: pasted, typeUses: uses, insteadOf: note === undefined ? null : wanted, results: hits, hasMore, isCut };
  await io.stdout(
    flags.json === true
      ? jsonLine(searchResult.print(result))
      : pasted.map(pastedText).join("") + uses.map(typeUseText).join("") + hitsText(io, hits, words),
  );
  io.stderr(rowsToCome(await derivationQueries(modules.engine).underived()) ?? "");
  if (hits.length + pasted.length === 0)
    io.stderr(`movedex: nothing found.${flags.all === true ? "" : " --all also searches what no longer exists."}\n`);
  if (isCut) io.stderr("movedex: too many items have these words to look at all of them. Narrow it with more words or --account.\n");
  if (hasMore)
    io.stderr(
      `movedex: the first ${plural(hits.length, "result")}; there are more. --limit prints more; --kind and --account narrow it.\n`,
    );
}

function typeUseText(use: TypeUse): string {
  return `type      ${printable(`${formatModuleId(use.module)}::${use.name}`, 600)}: ${typeUseWords(use)}\n`;
}

function hitsText(io: Io, hits: readonly SearchHit[], words: readonly string[]): string {
  const paint = painter(wantsColour(io));
  const width = io.stdoutIsTerminal ? Math.max(20, io.columns - INDENT.length) : Number.POSITIVE_INFINITY;
  const mark = (text: string) => markWords(text, words, (found) => paint("bold", found));
  const lines = hits.flatMap((hit) => {
    const text = snippet(printable(describe(hit), 2000), words, width);
    const gone = standingNote(hit) === "" ? "" : paint("gray", standingNote(hit));
    return [
      `${paint("gray", hit.kind.padEnd(INDENT.length))}${mark(printable(pathOf(hit)))}${gone}`,
      ...(text === "" ? [] : [`${INDENT}${mark(text)}`]),
    ];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function standingNote({ firstVersion, lastVersion }: SearchHit): string {
  if (firstVersion === null) return " (imported as a file; no snapshot shows it)";
  return lastVersion === null ? "" : ` (last seen at ledger version ${lastVersion})`;
}

function pathOf({ kind, address, module, name }: SearchHit): string {
  return kind === "module" ? `${address}::${module}` : `${address}::${module}::${name}`;
}

function describe({ kind, code, text }: SearchHit): string {
  if (kind === "error") return `${code}: ${text}`;
  return kind === "struct" && text !== "" ? `{ ${text} }` : text;
}

const LETTER = /[\p{L}\p{N}]/u;

/** A text with the beginnings of words that were searched for marked. Both must be printable; words are lower-case letters and digits. */
export function markWords(text: string, words: readonly string[], mark: (found: string) => string): string {
  if (words.length === 0) return text;
  return text.replace(wordPattern(words), (found, offset: number) => (isBeginning(text, offset) ? mark(found) : found));
}

/** The part of a text that fits into that number of characters and shows the first word that was found. */
export function snippet(text: string, words: readonly string[], width: number): string {
  if (text.length <= width) return text;
  const found = words.length === 0 ? [] : [...text.matchAll(wordPattern(words))].filter(({ index }) => isBeginning(text, index));
  const from = Math.max(0, Math.min((found[0]?.index ?? 0) - Math.floor(width / 3), text.length - width + 1));
  const part = text.slice(from, from + width - (from > 0 ? 1 : 0));
  const isEnd = from + part.length >= text.length;
  return `${from > 0 ? "…" : ""}${isEnd ? part : `${part.slice(0, -1)}…`}`;
}

function wordPattern(words: readonly string[]): RegExp {
  return new RegExp(words.toSorted((a, b) => b.length - a.length).join("|"), "giu");
}

/** Whether a word can begin here: after no letter, where camel case has a capital, or after the E of a constant. */
function isBeginning(text: string, offset: number): boolean {
  const before = text[offset - 1];
  if (before === undefined || !LETTER.test(before)) return true;
  if (/\p{Lu}/u.test(text[offset] ?? "") && /[\p{Ll}\p{N}]/u.test(before)) return true;
  return before === "E" && /^[A-Z0-9_]/.test(text.slice(offset)) && !LETTER.test(text[offset - 2] ?? " ");
}
