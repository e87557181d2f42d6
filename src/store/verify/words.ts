import type { Database } from "better-sqlite3";
import { printable } from "../../base/printable.ts";
import { wordsOf } from "../../base/search-tokens.ts";
import { type SearchKind, searchKinds } from "../content/words/word-index.ts";
import type { Integer } from "../engine/engine.ts";
import type { Check, Damage, Slice } from "./check.ts";

/** The names and sentences of a row of content, whose words the index has. */
type Texts = (...cells: Cells) => readonly unknown[];

/** Where each kind's texts stand, in the table's columns. */
export const sources: Readonly<Record<SearchKind, { readonly table: string; readonly columns: string; readonly texts: Texts }>> = {
  module: { table: "_modules", columns: "name", texts: (name) => [name as string] },
  function: { table: "_functions", columns: "name", texts: (name) => [name as string] },
  struct: {
    table: "_structs",
    columns: "name, variants, fields",
    texts: (name, variants, fields) => [name as string, ...listOf(variants), ...listOf(fields).map((field) => listOf(field)[0])],
  },
  error: {
    table: "_abis",
    columns: "errors",
    texts: (errors) => listOf(errors).flatMap((row) => listOf(row).slice(1)),
  },
};

const SHOWN_MAX = 100;
const PAGE = 1000;

export type Cells = readonly (string | null)[];

/**
 * The index of words against the tables that it was made from: each of its rows has the words of its row of content, no more
 * and no fewer, and every row of content has a row in it, or one of the same words. A second index is made for it, beside the
 * database, from the same texts: what is a word is SQLite's own rule. The first slice looks at it, as a whole.
 */
export function wordCheck(database: Database, { part }: Slice): Check {
  const isLooked = part === 0 && database.prepare("SELECT 1 FROM sqlite_schema WHERE name = '_search_index'").get() !== undefined;
  return {
    name: "kinds of rows in the index of words",
    total: async () => (isLooked ? searchKinds.length : 0),
    steps: async function* () {
      if (!isLooked) return;
      database.exec(
        "CREATE VIRTUAL TABLE temp.wanted_index USING fts5(words, content='', detail=none, columnsize=0); " +
          "CREATE VIRTUAL TABLE temp.wanted_words USING fts5vocab(temp, wanted_index, instance); " +
          "CREATE VIRTUAL TABLE temp.stored_words USING fts5vocab(main, _search_index, instance)",
      );
      try {
        for (const kind of searchKinds) yield [...missingRows(database, kind), ...otherWords(database, kind)];
      } finally {
        database.exec("DROP TABLE temp.stored_words; DROP TABLE temp.wanted_words; DROP TABLE temp.wanted_index");
      }
    },
  };
}

/** The words of a row of content, each once. */
export function wordsIn(kind: SearchKind, cells: Cells): string {
  return [...new Set(sources[kind].texts(...cells).flatMap((text) => wordsOf(String(text))))].join(" ");
}

/** Writes the words that the index's rows of a kind should have, and finds content whose words no row has. */
function missingRows(database: Database, kind: SearchKind): Damage[] {
  const { table, columns } = sources[kind];
  const find = database.prepare<[number], Cells>(`SELECT ${columns} FROM ${table} WHERE id = ?`).raw();
  const want = database.prepare<[bigint, string]>("INSERT INTO temp.wanted_index (rowid, words) VALUES (?, ?)");
  const number = BigInt(searchKinds.indexOf(kind));
  const held = new Set<string>();
  const rows = database.prepare<[bigint], bigint>("SELECT DISTINCT doc FROM temp.stored_words WHERE doc & 3 = ?").pluck();
  for (const row of rows.all(number)) {
    const cells = find.get(Number(row >> 2n));
    if (cells === undefined) continue;
    const words = wordsIn(kind, cells);
    want.run(row, words);
    held.add(words);
  }
  const damage: Damage[] = [];
  const page = database
    .prepare<[number, number], readonly [id: number, ...cells: Cells]>(
      `SELECT id, ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`,
    )
    .raw()
    .safeIntegers(false);
  for (let list = page.all(-1, PAGE); list.length > 0; list = page.all(list.at(-1)?.[0] as number, PAGE)) {
    for (const [id, ...cells] of list) {
      const words = wordsIn(kind, cells);
      if (words !== "" && !held.has(words) && damage.length < SHOWN_MAX) damage.push(wrong(kind, BigInt(id), "is not in the index", words));
    }
  }
  return damage;
}

/** Words that the index's rows of a kind have and should not, or lack. */
function otherWords(database: Database, kind: SearchKind): Damage[] {
  const difference = (left: string, right: string) =>
    database
      .prepare<[{ kind: number }], readonly [row: bigint, word: string]>(
        `SELECT doc, term FROM temp.${left} WHERE doc & 3 = @kind EXCEPT SELECT doc, term FROM temp.${right} WHERE doc & 3 = @kind LIMIT ${SHOWN_MAX}`,
      )
      .raw()
      .all({ kind: searchKinds.indexOf(kind) });
  return [
    ...difference("stored_words", "wanted_words").map(([row, word]) =>
      wrong(kind, row >> 2n, "has a word in the index that is not its own", word),
    ),
    ...difference("wanted_words", "stored_words").map(([row, word]) => wrong(kind, row >> 2n, "lacks a word in the index", word)),
  ];
}

/** What is wrong with a row of the index. */
export function wrong(kind: SearchKind, id: Integer, what: string, words: string): Damage {
  return { table: "_search_index", row: `${kind} ${id}`, problem: `${what}: \`${printable(words, 200)}\`` };
}

/** A list, or the JSON of one; nothing for what is none: the check of the table itself reports that. */
function listOf(json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json;
  try {
    return typeof json === "string" && json.startsWith("[") ? (JSON.parse(json) as readonly unknown[]) : [];
  } catch {
    return [];
  }
}
