import type { Cursor } from "./cursor.ts";

/** The row of `pool` that the next number names. */
export function pick<T>(cursor: Cursor, pool: readonly T[], name: string): T {
  return pool[readIndex(cursor, pool.length, name)] as T;
}

/** The next number, which must be the index of one of `count` rows. */
export function readIndex(cursor: Cursor, count: number, name: string): number {
  const at = cursor.at;
  const index = cursor.uleb(65_535);
  if (index >= count) cursor.fail(`index ${index} into ${name}, of which there are ${count}`, at);
  return index;
}
