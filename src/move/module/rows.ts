import { DecodeError } from "../decode-error.ts";
import type { Cursor } from "./cursor.ts";
import { TABLE_ROWS_MAX } from "./limits.ts";

/**
 * Reads the rows of a table until its bytes are used up: a table has no count of its own. What `read` needs beside the cursor comes as
 * `context`, so that it can be one function for all modules: of a closure that is made anew for each module, V8 throws the optimized
 * code away with every collection that finds none alive (of 12,000 modules 40 times), and compiles it again.
 * @throws DecodeError `MOVEDEX_DECODE_LIMIT` if it has more than `TABLE_ROWS_MAX` rows
 */
export function readRows<T>(cursor: Cursor, read: (cursor: Cursor) => T): T[];
export function readRows<T, C>(cursor: Cursor, read: (cursor: Cursor, context: C) => T, context: C): T[];
export function readRows<T, C>(cursor: Cursor, read: (cursor: Cursor, context?: C) => T, context?: C): T[] {
  const rows: T[] = [];
  while (cursor.more) {
    if (rows.length === TABLE_ROWS_MAX) refuseMore(cursor);
    rows.push(read(cursor, context));
  }
  return rows;
}

/** Checks the rows of a table of which nothing is kept, and returns their number. @throws DecodeError as for `readRows` */
export function countRows(cursor: Cursor, check: (cursor: Cursor) => void): number {
  let count = 0;
  for (; cursor.more; count++) {
    if (count === TABLE_ROWS_MAX) refuseMore(cursor);
    check(cursor);
  }
  return count;
}

function refuseMore(cursor: Cursor): never {
  throw new DecodeError("limit", `a table has more than ${TABLE_ROWS_MAX} rows`, cursor.at);
}
