import { runsOf, wordsOf } from "../../base/search-tokens.ts";
import type { Engine, Session } from "../../engine/engine.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { cutWord } from "../content/search-words.ts";
import { readCandidates } from "./candidates.ts";
import { readHits, type SearchHit, type SearchKind, searchKinds } from "./hits.ts";

export type SearchOptions = {
  /** Kinds to look for. All when it is empty. */
  readonly kinds: readonly SearchKind[];
  /** The accounts to look in. All when there are none. */
  readonly addresses?: readonly Address[];
  /** Whether to find also what no longer stands. */
  readonly withGone: boolean;
  /** How many to give at most. */
  readonly limit: number;
};

/** The results of a search, best first. `isCut`: there were too many candidates to look at all, so better hits may be missing. */
export type SearchResult = { readonly hits: readonly SearchHit[]; readonly hasMore: boolean; readonly isCut: boolean };

const CANDIDATES = 1000;
/** Places whose hits are read at once, and how many more than are wanted: most that are found stand. */
const [AT_ONCE, SPARE] = [40, 4];
/** More words than this say nothing more. */
const WORDS_MAX = 12;
/** More than this is no search. */
const TEXT_MAX = 10_000;

/** What to look for in a text that a person typed: its words in lower case, and the account when one is named (`0x1::coin`). */
export function parseWords(text: string): { readonly words: readonly string[]; readonly address: Address | undefined } {
  const runs = runsOf(text.slice(0, TEXT_MAX));
  const address = runs.filter((run) => run.startsWith("0x")).map(parseAddress)[0];
  const words = runs.filter((run) => parseAddress(run) === undefined || !run.startsWith("0x"));
  return { words: [...new Set(words.map(cutWord))].slice(0, WORDS_MAX), address };
}

/** Searching. `most` is how many places are looked at, at least. */
export function searchQueries(engine: Engine, most = CANDIDATES) {
  const find = async (session: Session, words: readonly string[], address: Address | undefined, options: SearchOptions) => {
    const accounts = options.addresses?.length ? options.addresses : address && [address];
    const kinds = options.kinds.length === 0 ? searchKinds : searchKinds.filter((kind) => options.kinds.includes(kind));
    const limit = Math.max(most, 2 * options.limit + 1);
    const places = await readCandidates(session, { words, kinds, accounts, limit });
    const atOnce = Math.max(AT_ONCE, options.limit + SPARE);
    const hits: SearchHit[] = [];
    for (let at = 0; at < places.length && hits.length <= options.limit; at += atOnce) {
      const found = await readHits(session, places.slice(at, at + atOnce));
      hits.push(...found.filter((hit) => (options.withGone || hit.lastVersion === null) && isMatch(hit, words)));
    }
    return {
      hits: hits.slice(0, options.limit),
      hasMore: hits.length > options.limit,
      isCut: hits.length <= options.limit && places.length === limit,
    };
  };
  return {
    /**
     * What has all the words in its name or text, or in the name of its module; each word may be the beginning of one. Any
     * text will do: it is cut into words, and nothing in it is a command.
     */
    search: async (text: string, options: SearchOptions): Promise<SearchResult> => {
      const { words, address } = parseWords(text);
      if (words.length === 0) return { hits: [], hasMore: false, isCut: false };
      return await engine.transaction((tx) => find(tx, words, address, options), { mode: "read", joins: "as-written" });
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
