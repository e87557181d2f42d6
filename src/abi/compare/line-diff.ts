import { diffArrays } from "diff";

/** A line of two texts beside each other; null where one of the two has none. Lines are counted from 0. */
export type LinePair = { readonly before: number | null; readonly after: number | null; readonly isSame: boolean };

/**
 * Above this number of single changes, all lines between the first and the last difference count as changed. The search for the fewest
 * changes takes quadratic time.
 */
const EDITS_MAX = 3_000;

/** Two lists of lines beside each other: equal lines in one row, and what was replaced beside what replaced it. */
export function pairLines(before: readonly string[], after: readonly string[]): LinePair[] {
  const head = commonStart(before, after);
  const tail = Math.min(commonStart(before.toReversed(), after.toReversed()), before.length - head, after.length - head);
  const [old, now] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const changes = diffArrays([...old], [...now], { maxEditLength: EDITS_MAX });
  const pairs: LinePair[] = Array.from({ length: head }, (_, i) => ({ before: i, after: i, isSame: true }));
  let [i, j] = [head, head];
  let removed = 0;
  let added = 0;
  const flush = (): void => {
    for (let row = 0; row < Math.max(removed, added); row++) {
      pairs.push({ before: row < removed ? i + row : null, after: row < added ? j + row : null, isSame: false });
    }
    i += removed;
    j += added;
    removed = 0;
    added = 0;
  };
  for (const change of changes ?? [
    { removed: true, added: false, count: old.length },
    { removed: false, added: true, count: now.length },
  ]) {
    if (change.removed) removed += change.count;
    else if (change.added) added += change.count;
    else {
      flush();
      for (let n = 0; n < change.count; n++) pairs.push({ before: i++, after: j++, isSame: true });
    }
  }
  flush();
  for (let n = 0; n < tail; n++) pairs.push({ before: i++, after: j++, isSame: true });
  return pairs;
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const end = Math.min(a.length, b.length);
  let i = 0;
  while (i < end && a[i] === b[i]) i += 1;
  return i;
}
