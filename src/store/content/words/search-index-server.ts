import { sql } from "../../../schema/sql/sql.ts";
import type { Session, Transaction } from "../../engine/engine.ts";
import { columnsOf } from "../stored-rows.ts";
import { IndexedWords, type IndexRow } from "./indexed-words.ts";
import { candidates, kindNumber, noIndex, type WordIndex } from "./word-index.ts";

const indexTable = { name: "_search_index", columns: { id: { kind: "version" }, words: { kind: "text" } }, isText: true } as const;

// What a tsvector holds: MAXSTRLEN and MAXSTRPOS in PostgreSQL's tsearch/ts_type.h, in bytes of UTF-8.
const WORD_BYTES_MAX = 2_046;
const WORDS_BYTES_MAX = 1_000_000;
/** A letter has three bytes at most where a character of JavaScript counts one. */
const SHORT = WORD_BYTES_MAX / 3;

const isThere = sql`SELECT 1 FROM pg_class c WHERE c.relname = '_search_index' AND c.relnamespace = CAST(current_schema() AS regnamespace)`;

/** Makes the table of words where it is missing, filled from what the database holds by then. Whoever comes at the same time waits. */
export async function installServerIndex(tx: Transaction): Promise<void> {
  await tx.all(sql`SELECT id FROM _migrations WHERE id = 0 FOR UPDATE`);
  if ((await tx.first(isThere)) !== undefined) return;
  await tx.run(sql`CREATE TABLE _search_index (id bigint PRIMARY KEY, words tsvector NOT NULL)`);
  const words = new IndexedWords();
  await load(tx, [
    ...words.modules(await tx.all<[number, string]>(sql`SELECT id, name FROM _modules`)),
    ...words.functions(await tx.all(sql`SELECT id, name FROM _functions`)),
    ...words.structs(await tx.all(allOf("structs"))),
    ...words.errors(await tx.all(allOf("abis"))),
  ]);
  await tx.run(sql`CREATE INDEX search_index_by_words ON _search_index USING gin (words)`);
}

/** Those of a row's words that PostgreSQL can keep: not the ones of thousands of letters, and no more than a megabyte. */
export function keptWords(words: string): string {
  if (words.length <= SHORT) return words;
  let bytes = 0;
  const isKept = (word: string): boolean => {
    const size = Buffer.byteLength(word);
    if (size > WORD_BYTES_MAX) return false;
    bytes += size;
    return bytes <= WORDS_BYTES_MAX;
  };
  return words.split(" ").filter(isKept).join(" ");
}

/** Words as they are, without a language's rules: names of code are no prose. They are letters and digits, so that in quotes each is one. */
function* vectors(rows: readonly IndexRow[]): Generator<readonly [row: bigint, vector: string]> {
  for (const [row, words] of rows) {
    const kept = keptWords(words);
    if (kept !== "") yield [row, `'${kept.replaceAll(" ", "' '")}'`];
  }
}

async function load(tx: Transaction, rows: readonly IndexRow[]): Promise<void> {
  if (rows.length > 0) await tx.bulk(indexTable, vectors(rows));
}

const allOf = (table: "structs" | "abis") => ({ in: () => `SELECT ${columnsOf(table).join(", ")} FROM _${table}` });

/** The index of words of a PostgreSQL database: `tsvector` with a GIN index. */
export function serverWordIndex(): WordIndex {
  const words = new IndexedWords();
  return {
    unseen: (abis) => words.unseen(abis),
    add: (tx, modules, { functions, structs, abis }, unseen) =>
      load(tx, [
        ...words.modules(modules),
        ...words.functions(functions, unseen),
        ...words.structs(structs, unseen),
        ...words.errors(abis),
      ]),
    clear: async (tx) => {
      words.forget();
      await tx.run(sql`DELETE FROM _search_index`);
      await load(tx, [...words.modules(await tx.all<[number, string]>(sql`SELECT id, name FROM _modules`))]);
    },
    forget: () => words.forget(),
    hits: (kind) => sql`SELECT -ts_rank(x.words, CAST(:match AS tsquery)) AS place, x.id >> 2 AS id FROM _search_index x
      WHERE x.words @@ CAST(:match AS tsquery) AND (x.id & 3) = ${kindNumber(kind)} ORDER BY place, x.id LIMIT ${candidates}`,
    anyOf: (some) => some.map((one) => `'${one}':*`).join(" | "),
    require: async (session: Session) => {
      if ((await session.first(isThere)) === undefined) throw noIndex();
    },
  };
}
