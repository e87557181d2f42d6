import { ITEMS, type Numbered, type Part } from "./stored-rows.ts";

type Row = readonly (string | number | null)[];

/** How an ABI's list of functions or structs is stored: the rows that it brings, and the stretches that make up the whole list. */
export type SharedItems<R> = {
  readonly added: readonly Numbered<R>[];
  readonly items: readonly Numbered<R>[];
  readonly parts: readonly Part[];
};

/** Finds the rows of an ABI's list among those of the module's earlier ABI; the others are numbered as its own. */
export function shareItems<R extends Row>(abi: number, rows: readonly R[], earlier: readonly Numbered<R>[]): SharedItems<R> {
  let next = abi * ITEMS;
  if (earlier.length === 0) {
    const items: Numbered<R>[] = [];
    for (const row of rows) items.push({ id: next++, row });
    return { added: items, items, parts: rows.length === 0 ? [] : [{ position: 0, source: abi, first: 0, last: rows.length - 1 }] };
  }
  const known = new Map(earlier.map(({ id, row }) => [rowKey(row), id]));
  const added: Numbered<R>[] = [];
  const items = rows.map((row): Numbered<R> => {
    const shared = known.get(rowKey(row));
    if (shared !== undefined) return { id: shared, row };
    const item = { id: next++, row };
    added.push(item);
    return item;
  });
  return { added, items, parts: stretches(items) };
}

/** The same for rows, each once, whose order says nothing: they are put into that of their numbers, which makes the fewest stretches. */
export function shareSet<R extends Row>(id: number, rows: readonly R[], earlier: readonly Numbered<R>[]): SharedItems<R> {
  const { added, items } = shareItems(id, rows, earlier);
  const sorted = earlier.length === 0 ? items : items.toSorted((a, b) => a.id - b.id);
  return { added, items: sorted, parts: stretches(sorted) };
}

/** Whether two lists have the same rows in the same order. */
export function areSameRows<R extends Row>(rows: readonly R[], stored: readonly Numbered<R>[]): boolean {
  return rows.length === stored.length && rows.every((row, i) => rowKey(row) === rowKey(stored[i]?.row as R));
}

function rowKey(row: Row): string {
  return JSON.stringify(row);
}

/** Rows that follow one another in what one ABI brought make one part. */
function stretches(items: readonly Numbered<unknown>[]): Part[] {
  const parts: Part[] = [];
  for (let position = 0; position < items.length; ) {
    const first = items[position]?.id as number;
    const source = Math.floor(first / ITEMS);
    let next = position + 1;
    while (items[next]?.id === first + next - position && Math.floor((first + next - position) / ITEMS) === source) next++;
    parts.push({ position, source, first: first % ITEMS, last: (first % ITEMS) + next - position - 1 });
    position = next;
  }
  return parts;
}
