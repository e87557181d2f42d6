import { runsOf } from "../../base/search-tokens.ts";
import type { Engine, Session } from "../../engine/engine.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { type SearchKind, searchKinds, WORD_LENGTH_MAX } from "../content/search-words.ts";
import { candidates } from "./candidates.ts";
import { readHits, type SearchHit } from "./hits.ts";
import { type Held, type Lists, readLists } from "./lists.ts";
import { type Candidate, placesInAccounts, type SearchPlace } from "./places.ts";
import { bestRankOf, compareHits, ranker } from "./rank.ts";

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

/** Rows of the index that are looked at, of a kind and for each word, where no account narrows them. */
const CANDIDATES = 1000;
/** Places of some names that are looked at, at least. */
const PLACES = 100;
/** Places that are looked at where most of them turn out to be none, such as what no longer stands. */
const LOOKED_AT = 2000;
/** Places whose hits are read at once, and how many more than are wanted: most that are found stand. */
const [AT_ONCE, SPARE] = [40, 4];

/** What makes a hit one that is wanted, and where the words stand in the index. */
type Wanted = SearchOptions & Held & { readonly rank: ReturnType<typeof ranker> };

/** More words than this say nothing more. */
const WORDS_MAX = 12;
/** More than this is no search. */
const TEXT_MAX = 10_000;

/** What to look for in a text that a person typed: its words in lower case, and the account when one is named (`0x1::coin`). */
export function parseWords(text: string): { readonly words: readonly string[]; readonly address: Address | undefined } {
  const runs = runsOf(text.slice(0, TEXT_MAX));
  const address = runs.filter((run) => run.startsWith("0x")).map(parseAddress)[0];
  const words = runs.filter((run) => parseAddress(run) === undefined || !run.startsWith("0x"));
  return { words: [...new Set(words.map((word) => word.slice(0, WORD_LENGTH_MAX)))].slice(0, WORDS_MAX), address };
}

/** Prepares searching. `most` is how many rows of the index are looked at, where no account narrows them. */
export function searchQueries(engine: Engine, most = CANDIDATES) {
  const find = async (session: Session, words: readonly string[], address: Address | undefined, options: SearchOptions) => {
    const rank = ranker(words);
    const accounts = options.addresses?.length ? options.addresses : address === undefined ? undefined : [address];
    const lists = await readLists(session, accounts === undefined ? words : [], most);
    const wanted: Wanted = { ...options, ...lists.held, rank };
    const found: SearchResult[] = [];
    let ranked: { readonly hit: SearchHit; readonly rank: number }[] = [];
    // In the order of hits: of two as good ones that of an earlier kind is before the other.
    for (const kind of searchKinds.filter((one) => options.kinds.length === 0 || options.kinds.includes(one))) {
      const full = ranked[options.limit]?.rank ?? Number.POSITIVE_INFINITY;
      if (accounts === undefined) found.push(await ofIndex(session, kind, lists, wanted, full));
      else found.push(await ofAccounts(session, kind, accounts, wanted));
      ranked = found
        .flatMap(({ hits }) => hits)
        .map((hit) => ({ hit, rank: rank(hit) as number }))
        .sort((a, b) => a.rank - b.rank || compareHits(a.hit, b.hit));
    }
    return {
      hits: ranked.slice(0, options.limit).map(({ hit }) => hit),
      hasMore: ranked.length > options.limit || found.some(({ hasMore }) => hasMore),
      isCut: found.some(({ isCut }) => isCut),
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
      // One transaction: a search asks ten questions, and on PostgreSQL each would begin one of its own.
      return await engine.transaction((tx) => find(tx, words, address, options), { mode: "read", joins: "as-written" });
    },
  };
}

/** What an account has is few: all of it is looked at. */
async function ofAccounts(session: Session, kind: SearchKind, addresses: readonly Address[], wanted: Wanted): Promise<SearchResult> {
  const all = await placesInAccounts(session, kind, addresses);
  const possible = all.filter(([, , module, name, text]) => wanted.rank({ kind, module, name, text }) !== undefined);
  const places = new Map(possible.map(([module, item]): [string, SearchPlace] => [`${module} ${item}`, [module, item]]));
  return { hits: only(await readHits(session, kind, [...places.values()], wanted.withFiles), wanted), hasMore: false, isCut: false };
}

/**
 * The best first, until there are enough. `full`: the rank that other hits have already which are more than enough; only what is better
 * is looked at, or as good and in an account of the ledger's own.
 */
async function ofIndex(session: Session, kind: SearchKind, lists: Lists, wanted: Wanted, full: number): Promise<SearchResult> {
  const canCount = ({ isOwn, name }: Candidate): boolean => {
    const best = bestRankOf(name, lists.words);
    return best < full || (isOwn && best === full);
  };
  const seen = new Set<string>();
  const hits: SearchHit[] = [];
  let [isCut, looked, behind] = [lists.byWord.some(({ cut }) => cut.has(kind)), 0, 0];
  for await (const { places, isCut: hasOthers } of candidates(session, kind, lists, Math.max(PLACES, 2 * wanted.limit + 1), full)) {
    isCut ||= hasOthers;
    const unseen = places.filter(({ place }) => seen.size < seen.add(place.join(" ")).size);
    const fresh = unseen.filter(canCount).map(({ place }) => place);
    const atOnce = Math.max(AT_ONCE, wanted.limit + SPARE);
    for (let at = 0; at < fresh.length; at += atOnce) {
      if (hits.length > wanted.limit) return { hits, hasMore: true, isCut };
      if (looked > Math.max(LOOKED_AT, 10 * wanted.limit)) return { hits, hasMore: false, isCut: true };
      const some = fresh.slice(at, at + atOnce);
      looked += some.length;
      hits.push(...only(await readHits(session, kind, some, wanted.withFiles), wanted));
    }
    // What stands behind enough others is as good as read.
    behind += unseen.length - fresh.length;
    if (hits.length + behind > wanted.limit) return { hits, hasMore: true, isCut };
  }
  return { hits, hasMore: false, isCut };
}

/** Of all definitions the wanted ones, one for each thing by name: its latest, since its first. */
function only(found: readonly SearchHit[], { withGone, rank }: Wanted): SearchHit[] {
  const byName = new Map<string, SearchHit>();
  for (const hit of found) {
    const key = [hit.kind, hit.address, hit.module, hit.name, hit.code ?? ""].join(" ");
    const other = byName.get(key);
    byName.set(key, other === undefined ? hit : merge(other, hit));
  }
  return [...byName.values()].filter((hit) => (withGone || hit.lastVersion === null) && rank(hit) !== undefined);
}

function merge(a: SearchHit, b: SearchHit): SearchHit {
  if (a.firstVersion === null || b.firstVersion === null) return a.firstVersion === null ? b : a;
  const isLater = a.lastVersion !== null && (b.lastVersion === null || b.lastVersion > a.lastVersion);
  return { ...(isLater ? b : a), firstVersion: a.firstVersion < b.firstVersion ? a.firstVersion : b.firstVersion };
}
