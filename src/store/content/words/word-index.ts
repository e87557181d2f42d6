import { wordsOf } from "../../../base/search-tokens.ts";
import { type Sql, sql } from "../../../schema/sql/sql.ts";
import type { Session, Transaction } from "../../engine/engine.ts";
import { StoreError } from "../../errors.ts";
import type { AbiRows } from "../abi-rows.ts";
import { columnsOf } from "../stored-rows.ts";

/** What can be searched for. The place in the list is the kind's number in the index: append only. */
export const searchKinds = ["module", "function", "struct", "error"] as const;

/** A kind of thing that can be searched for. */
export type SearchKind = (typeof searchKinds)[number];

/** Puts new rows of content into the index. Its calls belong inside the transaction that adds the rows. */
export type WordWriter = {
  /**
   * What ABIs name that may not be in the index yet. Asked before the transaction: most names are there, and looking for each was a tenth
   * of a batch's turn to write.
   */
  readonly unseen: (abis: Iterable<NamesInAbi>) => Unseen;
  /** Adds what a batch brings: its new modules by number, and of the batch's rows of the tables that have names in them what was unseen. */
  readonly add: (
    tx: Transaction,
    modules: Iterable<readonly [id: number, name: string]>,
    rows: RowsWithWords,
    unseen: Unseen,
  ) => Promise<void>;
  /** Leaves the names of modules and nothing else, where all other rows are to be made anew. */
  readonly clear: (tx: Transaction) => Promise<void>;
  /** Forgets what is in the index already, after a transaction that was rolled back. */
  readonly forget: () => void;
};

/** The index of words of a database: what writes it, and how it is asked. */
export type WordIndex = WordWriter & {
  /**
   * A SELECT of what has the words of `anyOf` (the parameter `:match`), the best first: `place`, by which they are ordered, and
   * `id`, the number of the row of content. At most `candidates`.
   */
  readonly hits: (kind: SearchKind) => Sql;
  /** What `hits` looks for: any of the words, or one that begins so. Words are letters and digits. */
  readonly anyOf: (words: readonly string[]) => string;
  /** Makes sure that there is an index. @throws StoreError `MOVEDEX_STORE_OLDER` */
  readonly require: (session: Session) => Promise<void>;
};

/** New rows of the tables that are searched, their cells as the tables have them. */
export type RowsWithWords = {
  readonly functions: readonly (readonly unknown[])[];
  readonly structs: readonly (readonly unknown[])[];
  readonly abis: readonly (readonly unknown[])[];
};

/** The rows of an ABI, without their numbers. */
export type NamesInAbi = Pick<AbiRows, "functions" | "structs">;

/** Names of functions, and of structs with all that is named in each, as the lines of one text. */
export type Unseen = { readonly functions: ReadonlySet<string>; readonly structs: ReadonlySet<string> };

/** How many rows of content a search looks at for each kind. */
export const candidates = sql`5000`;

/** The row of the index for a row of content: the kind in its last two bits. */
const rowOf = (kind: SearchKind, id: number): bigint => (BigInt(id) << 2n) | BigInt(searchKinds.indexOf(kind));

/** The number of a kind as SQL. */
export const kindNumber = (kind: SearchKind): Sql => kindNumbers[kind];
const kindNumbers: Readonly<Record<SearchKind, Sql>> = { module: sql`0`, function: sql`1`, struct: sql`2`, error: sql`3` };

/** How many texts are remembered as being in the index: names repeat from module to module, and one more row does no harm. */
const REMEMBERED_MAX = 20_000;

/** What to say of a database whose index is not there. */
export function noIndex(): StoreError {
  return new StoreError(
    "MOVEDEX_STORE_OLDER",
    "the database was made before there was a search, and reading may not change it. Run `movedex sync` or any command that writes once.",
  );
}

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
 * quote behind it begins a list: names are found where they stand, which takes half of the time, for all structs of a first crawl, of reading the JSON.
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
