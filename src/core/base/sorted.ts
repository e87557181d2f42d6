/** Order of two texts by their UTF-16 units, or of two numbers. */
export function compare<T extends string | bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How many items a sorted list begins with of which `isBefore` holds, by halving: the place of the first other one. */
export function countBefore<T>(sorted: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(sorted[middle] as T)) low = middle + 1;
    else high = middle;
  }
  return low;
}
