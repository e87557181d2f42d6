import { printable } from "../../base/printable.ts";
import { type Check, checkOf, type Damage, groupsOf, type Slice } from "../../engine/check.ts";
import type { Session } from "../../engine/engine.ts";
import { sql } from "../../schema/sql/sql.ts";
import { indexedWords, searchTexts } from "../content/search-words.ts";

/** Names with the texts that they are found by, and with the words that the index has of them. */
const wanted = sql<[name: string, text: string, isIndexed: 0 | 1]>`SELECT name, text, 0 AS is_indexed FROM ${searchTexts}
  UNION ALL SELECT name, word, 1 FROM _search_words ORDER BY 1`;

const SHOWN_MAX = 100;

/** The search index against the rows that it was made from: each name has its words, no more and no fewer. The first slice looks at it. */
export function wordCheck(session: Session, { part }: Slice): Check {
  return checkOf("search indexes", part === 0 ? [session] : [], damageOf);
}

async function damageOf(session: Session): Promise<Damage[]> {
  const damage: Damage[] = [];
  const add = (name: string, problem: string, words: ReadonlySet<string>, others: ReadonlySet<string>): void => {
    for (const word of words)
      if (!others.has(word))
        damage.push({ table: "_search_words", row: printable(name, 200), problem: `${problem}: \`${printable(word, 200)}\`` });
  };
  for await (const rows of groupsOf(session.stream(wanted))) {
    const name = rows[0][0];
    const has = new Set(rows.flatMap(([, word, isIndexed]) => (isIndexed ? [word] : [])));
    const own = new Set(rows.flatMap(([, text, isIndexed]) => (isIndexed ? [] : indexedWords(name, text))));
    add(name, "has a word in the index that is not its own", has, own);
    add(name, "lacks a word in the index", own, has);
    if (damage.length >= SHOWN_MAX) break;
  }
  return damage.slice(0, SHOWN_MAX);
}
