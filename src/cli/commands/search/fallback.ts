import type { SearchResult } from "../../../archive/search/search.ts";
import { wordsOf } from "../../../base/search-tokens.ts";
import { nearestNames } from "../../../base/similar-names.ts";

/** What was found, by which words, and a note where these are not the words of the question. */
export type Found = { readonly words: readonly string[]; readonly result: SearchResult; readonly note: string | undefined };

type Search = (words: readonly string[]) => Promise<SearchResult>;

/**
 * Searches for all words. Where nothing has them all, it corrects words that are in no name, then leaves words out until
 * something is found. @param names the names of the archive, asked for only when a word has to be corrected
 */
export async function searchWithFallback(
  search: Search,
  names: () => Promise<readonly string[]>,
  words: readonly string[],
): Promise<Found> {
  const result = await search(words);
  if (result.hits.length > 0) return { words, result, note: undefined };
  const unknown: string[] = [];
  for (const word of words) if ((await search([word])).hits.length === 0) unknown.push(word);
  const corrected = unknown.length === 0 ? new Map<string, string>() : correct(unknown, await names());
  const mended = [...new Set(words.flatMap((word) => (unknown.includes(word) ? (corrected.get(word) ?? []) : word)))];
  for (const fewer of shorten(mended)) {
    if (fewer.join(" ") === words.join(" ")) continue;
    const found = await search(fewer);
    if (found.hits.length > 0) return { words: fewer, result: found, note: noteOf(words, unknown, fewer) };
  }
  return { words, result, note: undefined };
}

function correct(unknown: readonly string[], names: readonly string[]): Map<string, string> {
  const vocabulary = new Set(names.flatMap(wordsOf));
  return new Map(
    unknown.flatMap((word) => {
      const [near] = nearestNames(word, vocabulary);
      return near === undefined ? [] : [[word, near] as const];
    }),
  );
}

/** The words, then the words without one of them, the last first; then each alone. */
function shorten(words: readonly string[]): string[][] {
  if (words.length === 0) return [];
  const without = words.length < 2 ? [] : words.map((_, i) => words.filter((_, j) => j !== words.length - 1 - i));
  return [[...words], ...without, ...(words.length > 2 ? words.map((word) => [word]) : [])];
}

function noteOf(words: readonly string[], unknown: readonly string[], used: readonly string[]): string {
  const quoted = (list: readonly string[]): string => list.map((word) => `\`${word}\``).join(", ");
  const why = unknown.length === 0 ? `nothing has all of ${quoted(words)} in it` : `nothing has ${quoted(unknown)} in it`;
  return `${why}; these are results for ${quoted(used)}.`;
}
