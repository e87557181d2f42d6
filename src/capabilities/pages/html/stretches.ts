/** Neighbours that have something in common, as one stretch each, with what it is. */
export function stretches<T, Key>(items: readonly T[], keyOf: (item: T, place: number) => Key): (readonly [key: Key, items: T[]])[] {
  const found: (readonly [Key, T[]])[] = [];
  for (const [place, item] of items.entries()) {
    const key = keyOf(item, place);
    const last = found.at(-1);
    if (last !== undefined && last[0] === key) last[1].push(item);
    else found.push([key, [item]]);
  }
  return found;
}
