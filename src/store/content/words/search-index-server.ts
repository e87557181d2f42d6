import { sql } from "../../../schema/sql/sql.ts";
import { each, item } from "../../../schema/sql/words.ts";
import type { Session, Transaction } from "../../engine/engine.ts";
import { columnsOf } from "../stored-rows.ts";
import { candidates, IndexedWords, type IndexRow, kindNumber, noIndex, type WordIndex } from "./word-index.ts";

const staged = { name: "staged_words", columns: { id: { kind: "version" }, words: { kind: "text" } } } as const;
// Words as they are, without a language's rules: names of code are no prose.
const add = sql`INSERT INTO search_index SELECT id, array_to_tsvector(string_to_array(words, ' ')) FROM staged_words WHERE words <> '' ON CONFLICT DO NOTHING`;
// What a batch brings goes along with the statement: a staged table would cost more than the rows of it.
const addGiven = sql`INSERT INTO search_index SELECT CAST(${item("j.value", 0)} AS bigint), array_to_tsvector(string_to_array(${item("j.value", 1)}, ' '))
  FROM ${each(":rows::json", "j")} WHERE ${item("j.value", 1)} <> '' ON CONFLICT DO NOTHING`;
const isThere = sql`SELECT 1 FROM pg_class c WHERE c.relname = 'search_index' AND c.relnamespace = CAST(current_schema() AS regnamespace)`;

/** Makes the table of words where it is missing, filled from what the database holds by then. Whoever comes at the same time waits. */
export async function installServerIndex(tx: Transaction): Promise<void> {
  await tx.all(sql`SELECT id FROM migrations WHERE id = 0 FOR UPDATE`);
  if ((await tx.first(isThere)) !== undefined) return;
  await tx.run(sql`CREATE TABLE search_index (id bigint PRIMARY KEY, words tsvector NOT NULL)`);
  const words = new IndexedWords();
  await tx.stage(staged, [
    ...words.modules(await tx.all<[number, string]>(sql`SELECT id, name FROM modules`)),
    ...words.functions(await tx.all(sql`SELECT id, name FROM functions`)),
    ...words.structs(await tx.all(allOf("structs"))),
    ...words.errors(await tx.all(allOf("abis"))),
  ]);
  await tx.run(add);
  await tx.run(sql`CREATE INDEX search_index_by_words ON search_index USING gin (words)`);
}

const allOf = (table: "structs" | "abis") => ({ in: () => `SELECT ${columnsOf(table).join(", ")} FROM ${table}` });

/** The index of words of a PostgreSQL database: `tsvector` with a GIN index. */
export function serverWordIndex(): WordIndex {
  const words = new IndexedWords();
  const addAll = async (tx: Transaction, rows: readonly IndexRow[]): Promise<void> => {
    if (rows.length > 0) await tx.run(addGiven, { rows: JSON.stringify(rows.map(([row, words]) => [row.toString(), words])) });
  };
  return {
    add: (tx, modules, { functions, structs, abis }) =>
      addAll(tx, [...words.modules(modules), ...words.functions(functions), ...words.structs(structs), ...words.errors(abis)]),
    clear: async (tx) => {
      words.forget();
      await tx.run(sql`DELETE FROM search_index`);
      await addAll(tx, [...words.modules(await tx.all<[number, string]>(sql`SELECT id, name FROM modules`))]);
    },
    forget: () => words.forget(),
    hits: (kind) => sql`SELECT -ts_rank(x.words, CAST(:match AS tsquery)) AS place, x.id >> 2 AS id FROM search_index x
      WHERE x.words @@ CAST(:match AS tsquery) AND (x.id & 3) = ${kindNumber(kind)} ORDER BY place, x.id LIMIT ${candidates}`,
    anyOf: (some) => some.map((one) => `'${one}':*`).join(" | "),
    require: async (session: Session) => {
      if ((await session.first(isThere)) === undefined) throw noIndex();
    },
  };
}
