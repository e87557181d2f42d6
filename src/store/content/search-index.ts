import type { Database, Statement } from "better-sqlite3";
import { wordsOf } from "../../base/search-tokens.ts";

/** What can be searched for. The place in the list is the kind's number in the index: append only. */
export const searchKinds = ["module", "function", "struct", "error"] as const;

/** A kind of thing that can be searched for. */
export type SearchKind = (typeof searchKinds)[number];

/** Puts new rows of content into the index. Its calls belong inside the transaction that adds the rows. */
export type WordWriter = {
  readonly module: (id: number, name: string) => void;
  /** A function, unless one of that name is in the index. */
  readonly function: (id: number, name: string) => void;
  /** A struct with the names inside of it, as `structs` holds them, unless its like is in the index. */
  readonly struct: (id: number, name: string, variants: string | null, fields: string | null) => void;
  /** An ABI's whole error map, as `abis` holds it. */
  readonly errors: (abi: number, errors: string) => void;
  /** Forgets what is in the index already, after a transaction that was rolled back. */
  readonly forget: () => void;
};

/** The row of the index for a row of content, as SQL and as a number: both ways in one place. */
export const indexedId = "(x.rowid >> 2)";
export const indexedKind = "(x.rowid & 3)";
const rowOf = (kind: SearchKind, id: number): bigint => (BigInt(id) << 2n) | BigInt(searchKinds.indexOf(kind));

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
      fillSearchIndex(database, prepareWords(database));
    })
    .immediate();
}

function fillSearchIndex(database: Database, words: WordWriter): void {
  const pages = <R extends readonly [id: number, ...unknown[]]>(columns: string, table: string, add: (...row: R) => void): void => {
    const page = database
      .prepare<[number, number], R>(`SELECT id, ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`)
      .raw()
      .safeIntegers(false);
    for (let rows = page.all(-1, PAGE); rows.length > 0; rows = page.all(rows.at(-1)?.[0] as number, PAGE)) {
      for (const row of rows) add(...row);
    }
  };
  pages<[number, string]>("name", "modules", words.module);
  pages<[number, string]>("name", "functions", words.function);
  pages<[number, string, string | null, string | null]>("name, variants, fields", "structs", words.struct);
  pages<[number, string | null]>("errors", "abis", (id, errors) => {
    if (errors !== null) words.errors(id, errors);
  });
}

/** Prepares the writer of the index on a connection. */
export function prepareWords(database: Database): WordWriter {
  // Not before the first row: a database that is only read may have no index yet.
  let insert: Statement<[bigint, string]> | undefined;
  const seen = new Set<string>();
  const add = (kind: SearchKind, id: number, texts: readonly string[]): void => {
    insert ??= database.prepare<[bigint, string]>("INSERT INTO search_index (rowid, words_2) VALUES (?, ?)");
    insert.run(rowOf(kind, id), [...new Set(texts.flatMap(wordsOf))].join(" "));
  };
  const addNew = (kind: SearchKind, id: number, texts: readonly string[]): void => {
    const key = `${kind} ${texts.join("\n")}`;
    if (seen.has(key)) return;
    if (seen.size >= REMEMBERED_MAX) seen.clear();
    seen.add(key);
    add(kind, id, texts);
  };
  return {
    module: (id, name) => add("module", id, [name]),
    function: (id, name) => addNew("function", id, [name]),
    struct: (id, name, variants, fields) => {
      const inside = [...listOf(variants), ...listOf(fields).map((field) => (field as readonly string[])[0])] as string[];
      addNew("struct", id, [name, ...inside]);
    },
    errors: (abi, errors) =>
      add(
        "error",
        abi,
        listOf(errors).flatMap((row) => (row as readonly string[]).slice(1)),
      ),
    forget: () => seen.clear(),
  };
}

function listOf(json: string | null): readonly unknown[] {
  return json === null ? [] : (JSON.parse(json) as readonly unknown[]);
}
