import { compareBytes } from "../../base/bytes.ts";
import { type Cursor, TABLE_SIZE_MAX } from "./cursor.ts";

// Values in BCS, read strictly as in the node: a length is at most 32 bits in its shortest form, and nothing is allocated before the bytes
// are there. All throw DecodeError.

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Text after its length in bytes. */
export function readString(cursor: Cursor): string {
  const length = cursor.uleb(TABLE_SIZE_MAX);
  const at = cursor.skip(length);
  try {
    return utf8.decode(cursor.bytes.subarray(at, at + length));
  } catch {
    return cursor.fail("the text is not UTF-8", at);
  }
}

/** A count and that many values. */
export function readVector<T>(cursor: Cursor, readItem: (cursor: Cursor) => T): T[] {
  const items: T[] = [];
  for (let left = cursor.uleb(TABLE_SIZE_MAX); left > 0; left--) items.push(readItem(cursor));
  return items;
}

/** A map with unique keys in the order of their bytes, as Rust's reader wants. Source: the `bcs` crate, NonCanonicalMap. */
export function readMap<K, V>(cursor: Cursor, readKey: (cursor: Cursor) => K, readValue: (cursor: Cursor) => V): Map<K, V> {
  let previous: Uint8Array | undefined;
  const entries = readVector(cursor, (): [K, V] => {
    const { at } = cursor;
    const key = readKey(cursor);
    const bytes = cursor.bytes.subarray(at, cursor.at);
    if (previous && compareBytes(previous, bytes) >= 0) cursor.fail("the keys of a map are out of order", at);
    previous = bytes;
    return [key, readValue(cursor)];
  });
  return new Map(entries);
}
