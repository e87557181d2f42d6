import type { Integer, Session } from "../../engine/engine.ts";
import { each } from "../../schema/sql/functions.ts";
import { joined, type Sql, sql } from "../../schema/sql/sql.ts";
import { type SearchKind, searchKinds, wholeName } from "../content/search-words.ts";
import { findPlaces, type Held, type Places } from "./places.ts";

/** Names that begin as was typed, at most. */
const BEGINNINGS = 200;
/** Names whose places are looked for at once: few at first, since the first are the best. */
const [FIRST_NAMES, MOST_NAMES] = [8, 256];
/** Longer questions are no module with a name. */
const SPLIT_MAX = 6;
/** Ways in which a name and its module's share the words, and names of each, at most. */
const [SHARES_MAX, SHARED_NAMES] = [4, 48];

export type Lists = {
  readonly words: readonly string[];
  readonly byWord: readonly IndexList[];
  /** Names that begin with all that was typed, as it was typed; the name itself first. */
  readonly beginnings: IndexList;
  readonly wholes: (run: readonly string[]) => IndexList;
  readonly held: Held;
};

/** Asks the index about words; `most` rows of a kind for each. */
export async function readLists(session: Session, words: readonly string[], most: number, held: Held): Promise<Lists> {
  const runs = words.length > SPLIT_MAX ? [] : words.flatMap((_, i) => (i === 0 ? [] : [words.slice(0, i), words.slice(i)]));
  const [beginnings, wholes, ...byWord] = await Promise.all([
    listOf(session, wholeName(words), Math.min(most, BEGINNINGS)),
    wholesOf(session, runs),
    ...words.map((word) => listOf(session, word, most)),
  ]);
  return { words, byWord, beginnings, wholes, held };
}

/**
 * Places of a kind in the order in which they are likely to be wanted, as long as they may have the rank `full` or a better one. `isCut`
 * where there are more of a name than `limit`.
 */
export async function* candidates(session: Session, kind: SearchKind, lists: Lists, limit: number, full: number): AsyncGenerator<Places> {
  const bounds = { ...lists.held, limit };
  yield* ofNames(session, kind, lists.beginnings.ids[kind], bounds);
  if (kind !== "module" && full >= 1) yield* ofSplits(session, kind, lists, bounds);
  if (full >= 2) yield* ofNames(session, kind, withAll(kind, lists.byWord), bounds);
  if (kind !== "module" && full >= 3) yield* ofShares(session, kind, lists, bounds);
}

type Bounds = Parameters<typeof findPlaces>[3];

async function* ofNames(session: Session, kind: SearchKind, ids: readonly string[], bounds: Bounds) {
  for (let [at, size] = [0, FIRST_NAMES]; at < ids.length; at += size, size = Math.min(2 * size, MOST_NAMES)) {
    yield await findPlaces(session, kind, { items: ids.slice(at, at + size) }, bounds);
  }
}

/** The name of a module, then one in it: `coin transfer`, `coin::transfer_from`. */
async function* ofSplits(session: Session, kind: SearchKind, { words, wholes }: Lists, bounds: Bounds) {
  for (let at = 1; at < words.length && words.length <= SPLIT_MAX; at++) {
    const [items, inModules] = [wholes(words.slice(at)).ids[kind], wholes(words.slice(0, at)).ids.module];
    if (items.length > 0 && inModules.length > 0) yield await findPlaces(session, kind, { items, inModules }, bounds);
  }
}

/** Names that have some of the words, in modules whose names have the others. */
async function* ofShares(session: Session, kind: SearchKind, { byWord }: Lists, bounds: Bounds) {
  if (byWord.length < 2) return;
  const [named, modules] = [shares(kind, byWord), shares("module", byWord)];
  const all = 2 ** byWord.length - 1;
  for (const [mask, ids] of named.slice(0, SHARES_MAX)) {
    const others = modules.flatMap(([other, modules]) => ((mask | other) === all ? modules : []));
    if (others.length === 0) continue;
    const sought = { items: ids.slice(0, SHARED_NAMES), inModules: others.slice(0, SHARED_NAMES) };
    const { places, isCut } = await findPlaces(session, kind, sought, bounds);
    yield { places, isCut: isCut || Math.max(ids.length, others.length) > SHARED_NAMES };
  }
}

/** Rows that have all words, as far as the lists go: a list that was cut leaves none out, unless all were. */
function withAll(kind: SearchKind, byWord: readonly IndexList[]): readonly string[] {
  const whole = byWord.filter(({ cut }) => !cut.has(kind));
  const [shortest = [], ...others] = (whole.length === 0 ? byWord : whole)
    .map(({ ids }) => ids[kind])
    .toSorted((a, b) => a.length - b.length);
  const sets = others.map((ids) => new Set(ids));
  return [...new Set(shortest)].filter((id) => sets.every((set) => set.has(id)));
}

/** Rows by the words that they have, as bits; those with most words first. */
function shares(kind: SearchKind, byWord: readonly IndexList[]): readonly (readonly [mask: number, ids: readonly string[]])[] {
  const masks = new Map<string, number>();
  for (const [i, { ids }] of byWord.entries()) for (const id of ids[kind]) masks.set(id, (masks.get(id) ?? 0) | (2 ** i));
  const bits = (mask: number): number => mask.toString(2).replaceAll("0", "").length;
  return [...Map.groupBy(masks.keys(), (id) => masks.get(id) as number)].sort(([a], [b]) => bits(b) - bits(a));
}

/** What the index has of a word or a beginning: rows by kind, the exact word first. `cut` has the kinds of which there is more. */
type IndexList = { readonly ids: Readonly<Record<SearchKind, readonly string[]>>; readonly cut: ReadonlySet<SearchKind> };

/** Behind every letter: the end of what begins with a word. */
const LAST = "\u{10ffff}";

const numbers: readonly Sql[] = [sql`0`, sql`1`, sql`2`, sql`3`];
const listed = joined(
  numbers.map(
    (kind) =>
      sql`SELECT kind, item_id FROM (SELECT kind, item_id FROM _search_words WHERE kind = ${kind} AND word >= :from AND word < :to
        ORDER BY word, item_id LIMIT :most) AS listed`,
  ),
  " UNION ALL ",
);
// The key begins with the kind. A server takes a list for a hundred words where nothing bounds it, and reads the whole index for them.
const wholes = sql`SELECT j.value, w.kind, w.item_id FROM (SELECT value FROM ${each(":words::json", "w")} LIMIT :runs) AS j
  CROSS JOIN (${joined(
    numbers.map((kind) => sql`SELECT ${kind} AS kind`),
    " UNION ALL ",
  )}) AS k JOIN _search_words w ON w.kind = k.kind AND w.word = j.value ORDER BY w.item_id LIMIT 1000`;

/** Rows that have a word beginning so; the word itself comes first. */
async function listOf(session: Session, beginning: string, most: number): Promise<IndexList> {
  const rows = await session.all<[kind: Integer, id: Integer]>(listed, { from: beginning, to: beginning + LAST, most });
  return toList(rows, most);
}

/** Rows whose whole name is one of these runs of words, by the runs. */
async function wholesOf(session: Session, runs: readonly (readonly string[])[]): Promise<(run: readonly string[]) => IndexList> {
  const words = JSON.stringify(runs.map(wholeName));
  const rows =
    runs.length === 0 ? [] : await session.all<[word: string, kind: Integer, id: Integer]>(wholes, { words, runs: 2 * SPLIT_MAX });
  const byWord = Map.groupBy(rows, ([word]) => word);
  return (run) =>
    toList(
      (byWord.get(wholeName(run)) ?? []).map(([, kind, id]) => [kind, id]),
      Number.POSITIVE_INFINITY,
    );
}

function toList(rows: readonly (readonly [kind: Integer, id: Integer])[], most: number): IndexList {
  const ids: Record<SearchKind, string[]> = { module: [], function: [], struct: [], error: [] };
  for (const [kind, id] of rows) ids[searchKinds[Number(kind)] as SearchKind].push(String(id));
  return { ids, cut: new Set(searchKinds.filter((kind) => ids[kind].length >= most)) };
}
