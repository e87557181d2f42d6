import type { Session } from "../../engine/engine.ts";
import type { SearchKind } from "../content/search-words.ts";
import type { IndexList, Lists } from "./lists.ts";
import { type FoundPlaces, findPlaces, type Sought } from "./places.ts";

/** Names whose places are looked for at once: few at first, since the first are the best. */
const [FIRST_NAMES, MOST_NAMES] = [8, 256];
/** Ways in which a name and its module's share the words, and names of each, at most. */
const [SHARES_MAX, SHARED_NAMES] = [4, 48];

/**
 * Places of a kind in the order in which they are likely to be wanted, as long as they may have the rank `full` or a better one. Where
 * they cannot have a better one, only the ledger's own come before others, and are looked for. `isCut` where there are more of a name than
 * `limit`.
 */
export async function* candidates(
  session: Session,
  kind: SearchKind,
  lists: Lists,
  limit: number,
  full: number,
): AsyncGenerator<FoundPlaces> {
  const { beginnings, exact, splits, isLong, byWord, held } = lists;
  const find: Find = (sought, onlyOwn = false) => findPlaces(session, kind, sought, { ...held, limit, onlyOwn });
  if (full === 0) return yield* ofNames(find, exact[kind], true);
  yield* ofNames(find, beginnings.ids[kind]);
  if (kind !== "module") {
    for (const [module, item] of splits) {
      const [items, inModules] = [item[kind], module.module];
      if (items.length > 0 && inModules.length > 0) yield await find({ items, inModules });
    }
  }
  if (full >= 2) yield* ofNames(find, withAll(kind, byWord));
  // What has not all words itself has rank 5 at best, unless a list was cut or a whole name may be among them.
  const best = isLong || byWord.some(({ cut }) => cut.has(kind)) ? 3 : 5;
  if (kind !== "module" && full >= best) yield* ofShares(find, kind, byWord, best === 5 && full === 5);
}

type Find = (sought: Sought, onlyOwn?: boolean) => Promise<FoundPlaces>;

async function* ofNames(find: Find, ids: readonly string[], onlyOwn?: boolean) {
  for (let [at, size] = [0, FIRST_NAMES]; at < ids.length; at += size, size = Math.min(2 * size, MOST_NAMES)) {
    yield await find({ items: ids.slice(at, at + size) }, onlyOwn);
  }
}

/** Names that have some of the words, in modules whose names have the others. */
async function* ofShares(find: Find, kind: SearchKind, byWord: readonly IndexList[], onlyOwn: boolean) {
  if (byWord.length < 2) return;
  const [named, modules] = [shares(kind, byWord), shares("module", byWord)];
  const all = 2 ** byWord.length - 1;
  for (const [mask, ids] of named.slice(0, SHARES_MAX)) {
    const others = modules.flatMap(([other, modules]) => ((mask | other) === all ? modules : []));
    if (others.length === 0) continue;
    const sought = { items: ids.slice(0, SHARED_NAMES), inModules: others.slice(0, SHARED_NAMES) };
    const { places, isCut } = await find(sought, onlyOwn);
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
