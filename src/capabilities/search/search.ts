import { nearestNames, runsOf, wordsOf } from "../../core/base/names.ts";
import { cutWord } from "../../core/db/archive/content/search-words.ts";
import type { Engine, Session } from "../../core/db/engine/engine.ts";
import { textsOf } from "../../core/db/engine/row-shape.ts";
import { sql } from "../../core/db/schema/sql/sql.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";
import { hasTypes, parseTypePattern, readTyped, withoutArguments } from "./by-type.ts";
import { readCandidates, readHits, type SearchHit, type SearchKind, searchKinds } from "./hits.ts";

export type SearchOptions = {
  readonly kinds: readonly SearchKind[];
  readonly addresses?: readonly Address[];
  readonly withGone: boolean;
  readonly limit: number;
};

/** The results of a search, best first. `isCut`: there were too many candidates to look at all, so better hits may be missing. */
export type SearchResult = { readonly hits: readonly SearchHit[]; readonly hasMore: boolean; readonly isCut: boolean };

const CANDIDATES = 1000;
/** Places whose hits are read at once, and how many more than are wanted: most that are found stand. */
const [AT_ONCE, SPARE] = [40, 4];
/** More words than this say nothing more. */
const WORDS_MAX = 12;
const TYPE_TEXT_MAX = 300;
/** More than this is no search. */
const TEXT_MAX = 10_000;

/** What to look for in a text that a person typed: its words in lower case, and the account when one is named (`0x1::coin`). */
export function parseWords(text: string): { readonly words: readonly string[]; readonly address: Address | undefined } {
  const runs = runsOf(withoutArguments(text.slice(0, TEXT_MAX)));
  const address = runs.filter((run) => run.startsWith("0x")).map(parseAddress)[0];
  const words = runs.filter((run) => parseAddress(run) === undefined || !run.startsWith("0x"));
  return { words: [...new Set(words.map(cutWord))].slice(0, WORDS_MAX), address };
}

/** Searching. `most` is how many places are looked at, at least. */
export function searchQueries(engine: Engine, most = CANDIDATES) {
  return {
    /**
     * What has all the words in its name or text, or in the name of its module; each word may be the beginning of one. Types in brackets
     * or behind an arrow find the functions that take or return such. Any text will do: nothing in it is a command.
     */
    search: async (text: string, { kinds, addresses = [], withGone, limit }: SearchOptions): Promise<SearchResult> => {
      const types = text.length > TYPE_TEXT_MAX ? undefined : parseTypePattern(text);
      const { words, address } = parseWords(text);
      if (types === undefined && words.length === 0) return { hits: [], hasMore: false, isCut: false };
      const named = types === undefined && address !== undefined ? [address] : undefined;
      const accounts = addresses.length > 0 ? addresses : named;
      const candidates = Math.max(most, 2 * limit + 1);
      const wanted = { words, kinds: kinds.length === 0 ? searchKinds : kinds, accounts, limit: candidates };
      const isWanted = (hit: SearchHit): boolean =>
        types === undefined ? isMatch(hit, words) : hasTypes(hit, types) && (accounts?.includes(hit.address) ?? true);
      const read = async (tx: Session): Promise<SearchResult> => {
        const places = types === undefined ? await readCandidates(tx, wanted) : await readTyped(tx, types, candidates);
        const atOnce = Math.max(AT_ONCE, limit + SPARE);
        const hits: SearchHit[] = [];
        for (let at = 0; at < places.length && hits.length <= limit; at += atOnce) {
          const found = await readHits(tx, places.slice(at, at + atOnce));
          hits.push(...found.filter((hit) => (withGone || hit.lastVersion === null) && isWanted(hit)));
        }
        return { hits: hits.slice(0, limit), hasMore: hits.length > limit, isCut: hits.length <= limit && places.length === candidates };
      };
      return await engine.transaction(read, { mode: "read", joins: "as-written" });
    },
  };
}

/** Whether it has all the words itself, or some and its module's name the others: the index knows what shares its name, too. */
function isMatch({ kind, module, name, text }: SearchHit, words: readonly string[]): boolean {
  // A declaration is shown, not searched: its types belong to other modules.
  const own = [...wordsOf(name), ...(kind === "function" ? [] : wordsOf(text))];
  const all = [...own, ...wordsOf(module)];
  const isIn = (list: readonly string[]) => (word: string) => list.some((other) => other.startsWith(word));
  return words.some(isIn(own)) && words.every(isIn(all));
}

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
