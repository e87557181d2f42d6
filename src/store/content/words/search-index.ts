import type { Database } from "better-sqlite3";
import { sql } from "../../../schema/sql/sql.ts";
import type { Engine } from "../../engine/engine.ts";
import { columnsOf } from "../stored-rows.ts";
import { IndexedWords, type IndexRow, type Row } from "./indexed-words.ts";
import { serverWordIndex } from "./search-index-server.ts";
import { candidates, kindNumber, noIndex, type WordIndex } from "./word-index.ts";

const indexTable = { name: "_search_index", columns: { rowid: { kind: "version" }, words_2: { kind: "text" } } } as const;

// The column's name counts the ways in which words were made: another number, and every database's index is made anew.
// The texts themselves are in the tables; the index holds which row has which word and no more.
const CREATE = "CREATE VIRTUAL TABLE _search_index USING fts5(words_2, content='', detail=none, columnsize=0)";

// Each batch adds a segment, and as many as this on a level become one. With FTS5's own 4 the index of 134 releases takes a quarter more
// pages, and filling it hardly less time.
const MERGE = "INSERT INTO _search_index (_search_index, rank) VALUES ('automerge', 2)";

/** How many rows are read at a time when an index is made anew. */
const PAGE = 1000;

/**
 * Makes the index of words, from what the database holds by then. It is derived from other tables and no part of the
 * migrations; nothing is done when it is there already.
 */
export function installSearchIndex(database: Database): void {
  const installed = database.prepare<[], string>("SELECT sql FROM sqlite_schema WHERE name = '_search_index'").pluck().get();
  if (installed === CREATE) return;
  database
    .transaction(() => {
      database.exec("DROP TABLE IF EXISTS _search_index");
      database.exec(CREATE);
      database.exec(MERGE);
      fillSearchIndex(database);
    })
    .immediate();
}

function fillSearchIndex(database: Database): void {
  const insert = database.prepare<[bigint, string]>("INSERT INTO _search_index (rowid, words_2) VALUES (?, ?)");
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
  pages("name", "_modules", (rows) => words.modules(rows as Iterable<[number, string]>));
  pages("name", "_functions", (rows) => words.functions(rows));
  pages(columnsOf("structs").slice(1).join(", "), "_structs", (rows) => words.structs(rows));
  pages(columnsOf("abis").slice(1).join(", "), "_abis", (rows) => words.errors(rows));
}

/** The index of words that belongs to an engine's database. */
export function wordIndexOf(engine: Pick<Engine, "name">): WordIndex {
  return engine.name === "sqlite" ? sqliteWordIndex() : serverWordIndex();
}

function sqliteWordIndex(): WordIndex {
  const words = new IndexedWords();
  return {
    unseen: (abis) => words.unseen(abis),
    add: async (tx, modules, { functions, structs, abis }, unseen) => {
      await tx.bulk(indexTable, [
        ...words.modules(modules),
        ...words.functions(functions, unseen),
        ...words.structs(structs, unseen),
        ...words.errors(abis),
      ]);
    },
    clear: async (tx) => {
      words.forget();
      await tx.run(sql`INSERT INTO _search_index (_search_index) VALUES ('delete-all')`);
      await tx.bulk(indexTable, words.modules(await tx.all<[number, string]>(sql`SELECT id, name FROM _modules`)));
    },
    forget: () => words.forget(),
    hits: (kind) => sql`SELECT rank AS place, x.rowid >> 2 AS id FROM _search_index x
      WHERE _search_index MATCH :match AND (x.rowid & 3) = ${kindNumber(kind)} ORDER BY rank LIMIT ${candidates}`,
    anyOf: (some) => some.map((one) => `"${one}"*`).join(" OR "),
    require: async (session) => {
      if ((await session.first(sql`SELECT 1 FROM sqlite_schema WHERE name = '_search_index'`)) === undefined) throw noIndex();
    },
  };
}
