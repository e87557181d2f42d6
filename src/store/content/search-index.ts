import type { Database, Statement } from "better-sqlite3";
import { wordsOf } from "../../base/search-tokens.ts";

/** What can be searched for. The place in the list is the kind's number in the index: append only. */
export const searchKinds = ["module", "function", "struct", "error"] as const;

/** A kind of thing that can be searched for. */
export type SearchKind = (typeof searchKinds)[number];

/** Puts a new row of content into the index: its number in its table, and the names and texts by which it is found. */
export type IndexWords = (kind: SearchKind, id: bigint, texts: readonly string[]) => void;

/** The row of the index for a row of content, as SQL and as a number: both ways in one place. */
export const indexedId = "(x.rowid >> 2)";
export const indexedKind = "(x.rowid & 3)";
const rowOf = (kind: SearchKind, id: bigint): bigint => (id << 2n) | BigInt(searchKinds.indexOf(kind));

// The column's name counts the ways in which words were made: another number, and every database's index is made anew.
// The texts themselves are in the tables; the index holds which row has which word and no more, a thirtieth of the database.
const CREATE = "CREATE VIRTUAL TABLE search_index USING fts5(words_1, content='', detail=none, columnsize=0)";

/** How many rows are read at a time when an index is made anew. */
const PAGE = 1000;

// The names and texts of each kind's rows, one a line, numbered as the index numbers them.
const content: Readonly<Record<SearchKind, string>> = {
  module: "SELECT id, name FROM modules WHERE id > ? ORDER BY id LIMIT ?",
  function: "SELECT id, name FROM functions WHERE id > ? ORDER BY id LIMIT ?",
  struct:
    "SELECT s.id, concat_ws(char(10), s.name, (SELECT group_concat(f.name, char(10)) FROM fields f WHERE f.struct_id = s.id), " +
    "(SELECT group_concat(v.name, char(10)) FROM variants v WHERE v.struct_id = s.id)) FROM structs s WHERE s.id > ? ORDER BY s.id LIMIT ?",
  error: "SELECT id, concat_ws(char(10), name, description) FROM error_codes WHERE id > ? ORDER BY id LIMIT ?",
};

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
      const index = prepareIndexing(database);
      for (const kind of searchKinds) {
        const page = database.prepare<[bigint, number], [bigint, string]>(content[kind]).raw().safeIntegers();
        for (let rows = page.all(-1n, PAGE); rows.length > 0; rows = page.all(rows.at(-1)?.[0] as bigint, PAGE)) {
          for (const [id, text] of rows) index(kind, id, text.split("\n"));
        }
      }
    })
    .immediate();
}

/** Prepares the writer of the index on a connection. Its calls belong inside a transaction, one for each new row. */
export function prepareIndexing(database: Database): IndexWords {
  // Not before the first row: a database that is only read may have no index yet.
  let add: Statement<[bigint, string]> | undefined;
  return (kind, id, texts) => {
    add ??= database.prepare<[bigint, string]>("INSERT INTO search_index (rowid, words_1) VALUES (?, ?)");
    add.run(rowOf(kind, id), texts.flatMap(wordsOf).join(" "));
  };
}
