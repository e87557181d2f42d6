import { DecodeError } from "../decode-error.ts";
import type { Cursor } from "./cursor.ts";
import { TABLE_ROWS_MAX } from "./limits.ts";

/** Reads a table's rows until its bytes are used up. @throws DecodeError `MOVEDEX_DECODE_LIMIT` above `TABLE_ROWS_MAX` rows */
export function readRows<T>(cursor: Cursor, read: (cursor: Cursor) => T): T[] {
  const rows: T[] = [];
  while (cursor.more) {
    if (rows.length === TABLE_ROWS_MAX) refuseMore(cursor);
    rows.push(read(cursor));
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
