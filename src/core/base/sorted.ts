/** Order of two texts by their UTF-16 units, or of two numbers. */
export function compare<T extends string | bigint | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
