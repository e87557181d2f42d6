import { compareBytes } from "../../base/bytes.ts";
import { Cursor } from "./cursor.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Of a text or a list: nothing is allocated for it before the bytes are there. */
export const LENGTH_MAX = 0xffff_ffff;

/** Reads a BCS value. @throws DecodeError and nothing else */
export type Read<T> = (cursor: Cursor) => T;

/** Reads a value that takes all of the bytes. */
export function readBcs<T>(read: Read<T>, bytes: Uint8Array): T {
  const cursor = new Cursor(bytes);
  const value = read(cursor);
  if (cursor.more) cursor.fail(`${cursor.end - cursor.at} bytes after the value`);
  return value;
}

export function readText(cursor: Cursor): string {
  const length = cursor.uleb(LENGTH_MAX);
  const at = cursor.skip(length);
  try {
    return utf8.decode(cursor.bytes.subarray(at, at + length));
  } catch {
    return cursor.fail("a text is not UTF-8", at);
  }
}

export function listOf<T>(read: Read<T>): Read<T[]> {
  return (cursor) => {
    const values: T[] = [];
    for (let left = cursor.uleb(LENGTH_MAX); left > 0; left--) values.push(read(cursor));
    return values;
  };
}

/** A map with unique keys in the order of their serialized bytes, as Rust's reader wants. Source: the `bcs` crate, NonCanonicalMap. */
export function mapOf<K, V>(readKey: Read<K>, readValue: Read<V>): Read<Map<K, V>> {
  return (cursor) => {
    const values = new Map<K, V>();
    let previous = cursor.bytes.subarray(0, 0);
    for (let left = cursor.uleb(LENGTH_MAX); left > 0; left--) {
      const start = cursor.at;
      const key = readKey(cursor);
      const bytes = cursor.bytes.subarray(start, cursor.at);
      if (compareBytes(previous, bytes) >= 0) cursor.fail("the keys of a map are out of order", start);
      previous = bytes;
      values.set(key, readValue(cursor));
    }
    return values;
  };
}
