import { named, sql, word } from "../../schema/sql/sql.ts";
import { keptWords } from "../content/words/search-index-server.ts";
import { kindNumber, type SearchKind, searchKinds } from "../content/words/word-index.ts";
import type { Integer, Session } from "../engine/engine.ts";
import type { Check, Damage, Slice } from "./check.ts";
import { type Cells, sources, wordsIn, wrong } from "./words.ts";

const SHOWN_MAX = 100;

const isThere = sql`SELECT 1 FROM pg_class c WHERE c.relname = '_search_index' AND c.relnamespace = CAST(current_schema() AS regnamespace)`;

/**
 * The index of words of a server against the tables that it was made from, as `wordCheck` does it in a file: a row of the index holds its
 * words, so that they are compared one by one.
 */
export function serverWordCheck(session: Session, { part }: Slice): Check {
  const isLooked = async () => part === 0 && (await session.first(isThere)) !== undefined;
  return {
    name: "kinds of rows in the index of words",
    total: async () => ((await isLooked()) ? searchKinds.length : 0),
    steps: async function* () {
      if (await isLooked()) for (const kind of searchKinds) yield await damageOf(session, kind);
    },
  };
}

async function damageOf(session: Session, kind: SearchKind): Promise<Damage[]> {
  const { table, columns } = sources[kind];
  const content = word(() => columns.replaceAll(/\w+/g, "c.$&"));
  const indexed = sql`SELECT x.id >> 2, array_to_string(tsvector_to_array(x.words), ' '), ${content} FROM _search_index x
    JOIN ${named(table)} c ON c.id = x.id >> 2 WHERE (x.id & 3) = ${kindNumber(kind)} ORDER BY x.id`;
  const held = new Set<string>();
  const damage: Damage[] = [];
  for await (const rows of session.stream<[Integer, string, ...Cells]>(indexed)) {
    for (const [id, stored, ...cells] of rows) {
      const words = keptWords(wordsIn(kind, cells));
      held.add(words);
      const [own, found] = [new Set(words.split(" ")), new Set(stored.split(" "))];
      for (const one of found) if (!own.has(one)) damage.push(wrong(kind, id, "has a word in the index that is not its own", one));
      for (const one of own) if (!found.has(one)) damage.push(wrong(kind, id, "lacks a word in the index", one));
    }
  }
  const all = sql`SELECT c.id, ${content} FROM ${named(table)} c ORDER BY c.id`;
  for await (const rows of session.stream<[Integer, ...Cells]>(all)) {
    for (const [id, ...cells] of rows) {
      const words = keptWords(wordsIn(kind, cells));
      if (words !== "" && !held.has(words)) damage.push(wrong(kind, id, "is not in the index", words));
    }
  }
  return damage.slice(0, SHOWN_MAX);
}
