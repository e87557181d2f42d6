import { wordsOf } from "../../../base/search-tokens.ts";
import { columnsOf } from "../stored-rows.ts";
import { type NamesInAbi, type SearchKind, searchKinds, type Unseen } from "./word-index.ts";

/** The row of the index for a row of content: the kind in its last two bits. */
const rowOf = (kind: SearchKind, id: number): bigint => (BigInt(id) << 2n) | BigInt(searchKinds.indexOf(kind));

/** How many texts are remembered as being in the index: names repeat from module to module, and one more row does no harm. */
const REMEMBERED_MAX = 20_000;

const placeIn = (table: "structs" | "abis", column: string): number => columnsOf(table).indexOf(column);
// Behind the number, which rows do not have yet that are to be stored.
const NAME = placeIn("structs", "name") - 1;
const VARIANTS = placeIn("structs", "variants") - 1;
const FIELDS = placeIn("structs", "fields") - 1;
const ERRORS = placeIn("abis", "errors");

/** A row of a table that is searched, its cells as the table has them. */
export type Row = readonly unknown[];

/** A row of the index. */
export type IndexRow = readonly [row: bigint, words: string];

/** The rows of the index that rows of tables make, each name and list of names once. */
export class IndexedWords {
  /** Words of modules' names: accounts publish copies of the same packages. */
  readonly #words = new Map<string, string>();
  /** By kind, since a struct may be called as a function is. */
  readonly #seen = { functions: new Set<string>(), structs: new Set<string>() };

  forget(): void {
    for (const seen of Object.values(this.#seen)) seen.clear();
  }

  modules(rows: Iterable<readonly [id: number, name: string]>): IndexRow[] {
    return Array.from(rows, ([id, name]) => [rowOf("module", id), this.#wordsOfName(name)]);
  }

  #wordsOfName(name: string): string {
    const known = this.#words.get(name);
    if (known !== undefined) return known;
    if (this.#words.size >= REMEMBERED_MAX) this.#words.clear();
    const words = wordsIn([name]);
    this.#words.set(name, words);
    return words;
  }

  unseen(abis: Iterable<NamesInAbi>): Unseen {
    const functions = new Set<string>();
    const structs = new Set<string>();
    for (const abi of abis) {
      for (const { 0: name } of abi.functions) if (!this.#seen.functions.has(name)) functions.add(name);
      for (const row of abi.structs) {
        const key = structTexts(row, 0).join("\n");
        if (!this.#seen.structs.has(key)) structs.add(key);
      }
    }
    return { functions, structs };
  }

  /** Rows of `functions`, of which only the unseen ones are looked at where it is known which these are. */
  functions(rows: readonly Row[], unseen?: Unseen): IndexRow[] {
    const found: IndexRow[] = [];
    if (unseen?.functions.size === 0) return found;
    for (const { 0: id, 1: name } of rows as readonly (readonly [number, string])[]) {
      if (unseen !== undefined && !unseen.functions.has(name)) continue;
      if (isFirst(this.#seen.functions, name)) found.push(toIndexRow("function", id, [name]));
    }
    return found;
  }

  /** The same of `structs`. */
  structs(rows: readonly Row[], unseen?: Unseen): IndexRow[] {
    const found: IndexRow[] = [];
    if (unseen?.structs.size === 0) return found;
    for (const row of rows) {
      const texts = structTexts(row, 1);
      const key = texts.join("\n");
      if (unseen !== undefined && !unseen.structs.has(key)) continue;
      if (isFirst(this.#seen.structs, key)) found.push(toIndexRow("struct", row[0] as number, texts));
    }
    return found;
  }

  errors(rows: readonly Row[]): IndexRow[] {
    const found: IndexRow[] = [];
    for (const row of rows) {
      const errors = listOf(row[ERRORS] as string | null) as (readonly string[])[];
      if (errors.length === 0) continue;
      const texts = errors.flatMap((error) => error.slice(1));
      found.push(toIndexRow("error", row[0] as number, texts));
    }
    return found;
  }
}

/** All that is named in a struct's row, whose number takes so many places: itself, its variants and its fields. */
function structTexts(row: Row, numbers: 0 | 1): string[] {
  const texts = [row[NAME + numbers] as string, ...(listOf(row[VARIANTS + numbers] as string | null) as string[])];
  pushFieldNames(row[FIELDS + numbers] as string | null, texts);
  return texts;
}

/**
 * The names in a JSON list of fields, each a list that begins with one. Without a backslash nothing in it is escaped, and a bracket with a
 * quote behind it begins a list: names are found where they stand: 0.25 µs for a struct of the recorded modules, where reading the JSON takes 0.7.
 */
function pushFieldNames(json: string | null, into: string[]): void {
  if (json === null) return;
  if (json.includes("\\")) {
    for (const field of JSON.parse(json) as (readonly [string])[]) into.push(field[0]);
    return;
  }
  for (let at = json.indexOf('["'); at >= 0; at = json.indexOf('["', at)) {
    const end = json.indexOf('"', at + 2);
    into.push(json.slice(at + 2, end));
    at = end;
  }
}

function isFirst(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  if (seen.size >= REMEMBERED_MAX) seen.clear();
  seen.add(key);
  return true;
}

function toIndexRow(kind: SearchKind, id: number, texts: readonly string[]): IndexRow {
  return [rowOf(kind, id), wordsIn(texts)];
}

function wordsIn(texts: readonly string[]): string {
  return [...new Set(texts.flatMap(wordsOf))].join(" ");
}

function listOf(json: string | null): readonly unknown[] {
  return json === null ? [] : (JSON.parse(json) as readonly unknown[]);
}
