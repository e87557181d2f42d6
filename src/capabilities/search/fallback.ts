import { nearestNames, wordsOf } from "../../core/base/names.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { textsOf } from "../../core/db/engine/row-shape.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { parseTypePattern } from "./by-type.ts";
import { parseWords, type SearchOptions, type SearchResult, searchQueries } from "./search.ts";

/** What was found, by which words, and a note where these are not the words of the question. */
type Found = { readonly words: readonly string[]; readonly result: SearchResult; readonly note: string | undefined };

/** Names that are compared with a word that was not found: enough to find a typo, few enough to take no longer than a search. */
const NAMES_MAX = 100_000;
const indexed = sql`SELECT DISTINCT w.name FROM _search_words w LIMIT :limit`;

/**
 * Searches for a text. Where nothing has all of its words, it corrects those that are in no name, then leaves words out until something
 * is found.
 */
export async function searchText(engine: Engine, text: string, options: SearchOptions): Promise<Found> {
  const { search } = searchQueries(engine);
  const { words } = parseWords(text);
  const result = await search(text, options);
  if (result.hits.length > 0 || parseTypePattern(text) !== undefined) return { words, result, note: undefined };
  const searchWords = (some: readonly string[]) => search(some.join(" "), options);
  const unknown: string[] = [];
  for (const word of words) if ((await searchWords([word])).hits.length === 0) unknown.push(word);
  const names = unknown.length === 0 ? [] : await textsOf(engine, indexed, { limit: NAMES_MAX });
  const vocabulary = new Set(names.flatMap(wordsOf));
  const near = (word: string) => (unknown.includes(word) ? nearestNames(word, vocabulary).slice(0, 1) : word);
  const mended = [...new Set(words.flatMap(near))];
  // All of them, then without one, the last first; then each alone.
  const without = mended.map((_, i) => mended.toSpliced(-1 - i, 1));
  for (const some of [mended, ...without, ...(mended.length > 2 ? mended.map((word) => [word]) : [])]) {
    if (some.length === 0 || some.join(" ") === words.join(" ")) continue;
    const found = await searchWords(some);
    if (found.hits.length > 0) return { words: some, result: found, note: noteOf(words, unknown, some) };
  }
  return { words, result, note: undefined };
}

function noteOf(words: readonly string[], unknown: readonly string[], used: readonly string[]): string {
  const quoted = (list: readonly string[]): string => list.map((word) => `\`${word}\``).join(", ");
  const why = unknown.length === 0 ? `nothing has all of ${quoted(words)} in it` : `nothing has ${quoted(unknown)} in it`;
  return `${why}; these are results for ${quoted(used)}.`;
}
