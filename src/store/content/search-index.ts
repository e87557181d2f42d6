import type { Database } from "better-sqlite3";
import { wordsOf } from "../../base/search-tokens.ts";
import { sql } from "../../schema/sql/sql.ts";
import type { Engine, Transaction } from "../engine/engine.ts";
import { columnsOf } from "./stored-rows.ts";

/** What can be searched for. The place in the list is the kind's number in the index: append only. */
export const searchKinds = ["module", "function", "struct", "error"] as const;

/** A kind of thing that can be searched for. */
export type SearchKind = (typeof searchKinds)[number];

/** Puts new rows of content into the index. Its calls belong inside the transaction that adds the rows. */
export type WordIndex = {
  /** Adds what a batch brings: its new modules by number, and the batch's rows of the tables that have names in them. */
  readonly add: (tx: Transaction, modules: Iterable<readonly [id: number, name: string]>, rows: RowsWithWords) => Promise<void>;
  /** Leaves the names of modules and nothing else, where all other rows are to be made anew. */
  readonly clear: (tx: Transaction) => Promise<void>;
  /** Forgets what is in the index already, after a transaction that was rolled back. */
  readonly forget: () => void;
};

/** New rows of the tables that are searched, their cells as the tables have them. */
export type RowsWithWords = {
  readonly functions: readonly (readonly unknown[])[];
  readonly structs: readonly (readonly unknown[])[];
  readonly abis: readonly (readonly unknown[])[];
};

/** The row of the index for a row of content, as SQL and as a number: both ways in one place. */
export const indexedId = "(x.rowid >> 2)";
export const indexedKind = "(x.rowid & 3)";
const rowOf = (kind: SearchKind, id: number): bigint => (BigInt(id) << 2n) | BigInt(searchKinds.indexOf(kind));
const indexTable = { name: "search_index", columns: { rowid: { kind: "version" }, words_2: { kind: "text" } } } as const;

// The column's name counts the ways in which words were made: another number, and every database's index is made anew.
// The texts themselves are in the tables; the index holds which row has which word and no more.
const CREATE = "CREATE VIRTUAL TABLE search_index USING fts5(words_2, content='', detail=none, columnsize=0)";

/** How many rows are read at a time when an index is made anew. */
const PAGE = 1000;

/** How many texts are remembered as being in the index: names repeat from module to module, and one more row does no harm. */
const REMEMBERED_MAX = 20_000;

/**
 * Makes the index of words, from what the database holds by then. It is derived from other tables and no part of the
 * migrations; nothing is done when it is there already.
 */
export function installSearchIndex(database: Database): void {
  const installed = database.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = 'search_index'").pluck().get();
  if (installed === CREATE) return;
  database
    .transaction(() => {
      database.exec("DROP TABLE IF EXISTS search_index");
      database.exec(CREATE);
      fillSearchIndex(database);
    })
    .immediate();
}

function fillSearchIndex(database: Database): void {
  const insert = database.prepare<[bigint, string]>("INSERT INTO search_index (rowid, words_2) VALUES (?, ?)");
  const words = new IndexedWords();
  const pages = (columns: string, table: string, rowsOf: (rows: readonly Row[]) => Iterable<IndexRow>): void => {
    const page = database
      .prepare<[number, number], Row>(`SELECT id, ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`)
      .raw()
      .safeIntegers(false);
    for (let rows = page.all(-1, PAGE); rows.length > 0; rows = page.all(rows.at(-1)?.[0] as number, PAGE)) {
      for (const [id, text] of rowsOf(rows)) insert.run(id, text);
    }
  };
  pages("name", "modules", (rows) => words.modules(rows as Iterable<[number, string]>));
  pages("name", "functions", (rows) => words.functions(rows));
  pages(columnsOf("structs").slice(1).join(", "), "structs", (rows) => words.structs(rows));
  pages(columnsOf("abis").slice(1).join(", "), "abis", (rows) => words.errors(rows));
}

/** The index of words that belongs to an engine's database. There is none on PostgreSQL yet, and no search. */
export function wordIndexOf(engine: Pick<Engine, "name">): WordIndex {
  if (engine.name === "sqlite") return sqliteWordIndex();
  return { add: async () => {}, clear: async () => {}, forget: () => {} };
}

function sqliteWordIndex(): WordIndex {
  const words = new IndexedWords();
  return {
    add: async (tx, modules, { functions, structs, abis }) => {
      await tx.bulk(indexTable, [
        ...words.modules(modules),
        ...words.functions(functions),
        ...words.structs(structs),
        ...words.errors(abis),
      ]);
    },
    clear: async (tx) => {
      words.forget();
      await tx.run(sql`INSERT INTO search_index (search_index) VALUES ('delete-all')`);
      await tx.bulk(indexTable, words.modules(await tx.all<[number, string]>(sql`SELECT id, name FROM modules`)));
    },
    forget: () => words.forget(),
  };
}

const placeIn = (table: "structs" | "abis", column: string): number => columnsOf(table).indexOf(column);
const VARIANTS = placeIn("structs", "variants");
const FIELDS = placeIn("structs", "fields");
const ERRORS = placeIn("abis", "errors");

type Row = readonly unknown[];
type IndexRow = readonly [row: bigint, words: string];

/** The rows of the index that rows of tables make, each name and list of names once. */
class IndexedWords {
  readonly #seen = new Set<string>();

  forget(): void {
    this.#seen.clear();
  }

  *modules(rows: Iterable<readonly [id: number, name: string]>): Generator<IndexRow> {
    for (const [id, name] of rows) yield toIndexRow("module", id, [name]);
  }

  *functions(rows: readonly Row[]): Generator<IndexRow> {
    for (const [id, name] of rows) yield* this.#once("function", id as number, [name as string]);
  }

  *structs(rows: readonly Row[]): Generator<IndexRow> {
    for (const row of rows) {
      const [id, name, variants, fields] = [row[0], row[1], row[VARIANTS], row[FIELDS]] as [number, string, string | null, string | null];
      const inside = [...listOf(variants), ...listOf(fields).map((field) => (field as readonly string[])[0])] as string[];
      yield* this.#once("struct", id, [name, ...inside]);
    }
  }

  *errors(rows: readonly Row[]): Generator<IndexRow> {
    for (const row of rows) {
      const errors = listOf(row[ERRORS] as string | null) as (readonly string[])[];
      if (errors.length > 0)
        yield toIndexRow(
          "error",
          row[0] as number,
          errors.flatMap((error) => error.slice(1)),
        );
    }
  }

  *#once(kind: SearchKind, id: number, texts: readonly string[]): Generator<IndexRow> {
    const key = `${kind} ${texts.join("\n")}`;
    if (this.#seen.has(key)) return;
    if (this.#seen.size >= REMEMBERED_MAX) this.#seen.clear();
    this.#seen.add(key);
    yield toIndexRow(kind, id, texts);
  }
}

function toIndexRow(kind: SearchKind, id: number, texts: readonly string[]): IndexRow {
  return [rowOf(kind, id), [...new Set(texts.flatMap(wordsOf))].join(" ")];
}

function listOf(json: string | null): readonly unknown[] {
  return json === null ? [] : (JSON.parse(json) as readonly unknown[]);
}
