import { diffArrays } from "diff";
import type { InterfaceItem as Item } from "../../../core/abi/print/interface-text.ts";
import { matchLines } from "./code-diff.ts";

/** An item of two texts beside each other: what it is called in each, where it is there. */
export type ItemPair = { readonly before: string | undefined; readonly after: string | undefined; readonly lines: readonly LinePair[] };

/** Items beside each other, and those that stand elsewhere among the others and are no change for that. */
export type ItemDiff = { readonly items: readonly ItemPair[]; readonly moved: readonly string[] };

/**
 * Two texts matched by item: one that moved is the same one, and one that was renamed (`renamed`: from old key to new) as well.
 * In the order of the newer text; what is gone stands behind what it followed.
 */
export function pairItems(before: readonly Item[], after: readonly Item[], renamed: ReadonlyMap<string, string> = new Map()): ItemDiff {
  const [old, now] = [numbered(before), numbered(after)];
  const newKey = (key: string): string => renamed.get(key) ?? key;
  const stays = new Map([...old].map(([key, item]) => [newKey(key), item]));
  const order: string[] = [];
  const gone = new Map<string | undefined, string[]>();
  let last: string | undefined;
  for (const key of old.keys()) {
    if (now.has(newKey(key))) last = newKey(key);
    else gone.set(last, [...(gone.get(last) ?? []), key]);
  }
  order.push(...(gone.get(undefined) ?? []));
  for (const key of now.keys()) order.push(key, ...(gone.get(key) ?? []));
  const items = order.map((key): ItemPair => {
    const [was, is] = [stays.get(key) ?? old.get(key), now.get(key)];
    const pairs = pairLines(was?.lines ?? [], is?.lines ?? []);
    const at = (line: number | null, item: Item | undefined): number | null => (line === null ? null : line + (item?.line ?? 0));
    const lines = pairs.map((pair) => ({ ...pair, before: at(pair.before, was), after: at(pair.after, is) }));
    return { before: was?.key, after: is?.key, lines };
  });
  const shared = [...stays.keys()].filter((key) => now.has(key));
  const changes = diffArrays(
    shared,
    [...now.keys()].filter((key) => stays.has(key)),
    { maxEditLength: 1_000 },
  );
  return { items, moved: (changes ?? []).flatMap(({ removed, value }) => (removed ? value : [])) };
}

/** Items by their names; of several of one name each has a number too. */
function numbered(items: readonly Item[]): Map<string, Item> {
  const found = new Map<string, Item>();
  for (const item of items) {
    let key = item.key;
    for (let n = 2; found.has(key); n++) key = `${item.key} ${n}`;
    found.set(key, item);
  }
  return found;
}

/** A line of two texts beside each other; null where one of the two has none. Lines are counted from 0. */
export type LinePair = { readonly before: number | null; readonly after: number | null; readonly isSame: boolean };

/** Above this number of single changes, all lines between the first and the last difference count as changed. */
const EDITS_MAX = 3_000;

/** Two lists of lines beside each other: equal lines in one row, and what was replaced beside what replaced it. */
function pairLines(before: readonly string[], after: readonly string[]): LinePair[] {
  const matches = matchLines(before, after, EDITS_MAX);
  const pairs: LinePair[] = [];
  for (let [i, j] = [0, 0]; i < before.length || j < after.length; i++, j++) {
    let to = i;
    while (to < before.length && !matches.has(to)) to += 1;
    const end = matches.get(to) ?? after.length;
    for (; i < to || j < end; i++, j++) pairs.push({ before: i < to ? i : null, after: j < end ? j : null, isSame: false });
    [i, j] = [to, end];
    if (to < before.length) pairs.push({ before: i, after: j, isSame: true });
  }
  return pairs;
}
