import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import { address, all, from, list, object, orNull, text, truth, u64, version, whole } from "../../core/base/result.ts";
import { type Io, rowsToCome } from "../../core/cli/io.ts";
import type { DatabaseFlags } from "../../core/cli/options/declared-command.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { painter, wantsColour } from "../../core/cli/output/terminal.ts";
import { derivationQueries } from "../../core/db/archive/content/derive.ts";
import { openModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import { ConfigError } from "../../core/errors.ts";
import type { Address } from "../../core/move/address.ts";
import { formatModuleId } from "../../core/move/module-id.ts";
import type { SearchHit, SearchKind } from "./hits.ts";
import { type TypeUse, typeUsesOf, typeUseWords } from "./item-uses.ts";
import { parseWords, searchText } from "./search.ts";

const hit = object({
  kind: text,
  address,
  module: text,
  name: orNull(text),
  code: orNull(u64),
  text: orNull(text),
  first_version: orNull(version),
  last_version: orNull(version),
});

const typeUse = object({
  address: from("module.address", address),
  module: from("module.name", text),
  name: text,
  ...all(whole, "taken_by", "returned_by", "held_by"),
  is_cut: truth,
});

export const searchResult = object({
  words: list(text),
  type_uses: from("typeUses", list(typeUse)),
  instead_of: orNull(list(text)),
  results: list(hit),
  has_more: truth,
  is_cut: truth,
});

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
  if (wanted.length === 0)
    throw new ConfigError(`\`${printable(text, 80)}\` has no word to search for. Give one with letters or digits, not an address alone.`);
  await using modules = await openModuleArchive(flags.db);
  const addresses = flags.account ?? (named === undefined ? [] : [named]);
  const options = { kinds: flags.kind ?? [], withGone: flags.all === true, limit: flags.limit, addresses };
  const { words, note, result } = await searchText(modules.engine, text, options);
  const { hits, hasMore, isCut } = result;
  if (note !== undefined) io.stderr(`movedex: ${note}\n`);
  const typeUses = flags.kind === undefined ? await typeUsesOf(modules, hits, words) : [];
  const found = { words, typeUses, insteadOf: note === undefined ? null : wanted, results: hits, hasMore, isCut };
  await io.stdout(flags.json === true ? jsonLine(searchResult.print(found)) : typeUses.map(typeUseText).join("") + hitsText(io, hits));
  io.stderr(rowsToCome(await derivationQueries(modules.engine).underived()) ?? "");
  if (hits.length === 0) io.stderr(`movedex: nothing found.${flags.all === true ? "" : " --all also searches what no longer exists."}\n`);
  if (isCut) io.stderr("movedex: too many items have these words to look at all of them. Narrow it with more words or --account.\n");
  if (hasMore)
    io.stderr(
      `movedex: the first ${hits.length === 1 ? "result" : plural(hits.length, "result")}; there are more. --limit prints more; --kind, --account narrow it.\n`,
    );
}

function typeUseText(use: TypeUse): string {
  return `type      ${printable(`${formatModuleId(use.module)}::${use.name}`, 600)}: ${typeUseWords(use)}\n`;
}

/** The name of each, and what it is in a line below, cut to the terminal. */
function hitsText(io: Io, hits: readonly SearchHit[]): string {
  const paint = painter(wantsColour(io));
  const width = io.stdoutIsTerminal ? Math.max(20, io.columns - INDENT.length) : Number.POSITIVE_INFINITY;
  const lines = hits.flatMap((hit) => {
    const text = printable(describe(hit), 2000);
    const note = standingNote(hit);
    return [
      `${paint("gray", hit.kind.padEnd(INDENT.length))}${paint("bold", printable(pathOf(hit)))}${note === "" ? "" : paint("gray", note)}`,
      ...(text === "" ? [] : [`${INDENT}${text.length > width ? `${text.slice(0, width - 1)}…` : text}`]),
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
