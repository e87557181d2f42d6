/** Order of two texts by their UTF-16 units, or of two numbers. */
export function compare<T extends string | bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A list in parts of `size` items; the last part may be shorter. */
export function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
