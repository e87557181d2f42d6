import { compareBytes } from "../../base/bytes.ts";
import { ADDRESS_BYTES } from "../address.ts";
import { ifDecodable } from "../decode-error.ts";
import { Cursor } from "./cursor.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Of a text or a list: nothing is allocated for it before the bytes are there. */
const LENGTH_MAX = 0xffff_ffff;

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

/** How deep types may lie in each other. Source: aptos-core `third_party/move/move-core/types/src/safe_serialize.rs`. */
const MAX_DEPTH = 8;

// The variants of a type tag. Source: aptos-core `third_party/move/move-core/types/src/language_storage.rs`.
const VECTOR = 6;
const STRUCT = 7;
const FUNCTION = 11;
const LAST = 17;

/** Whether bytes are the BCS of one struct tag, the type of a resource: address, module, name, type arguments. */
export function isStructTag(bytes: Uint8Array): boolean {
  return ifDecodable(() => readBcs((cursor) => skipStruct(cursor, 1), bytes)) !== undefined;
}

function skipStruct(cursor: Cursor, depth: number): true {
  cursor.skip(ADDRESS_BYTES);
  for (let names = 0; names < 2; names++) readText(cursor);
  for (let left = cursor.uleb(LENGTH_MAX); left > 0; left--) skipType(cursor, depth + 1);
  return true;
}

function skipType(cursor: Cursor, depth: number): void {
  if (depth > MAX_DEPTH) cursor.fail("types are nested too deeply");
  const tag = cursor.uleb(LAST);
  if (tag === VECTOR) skipType(cursor, depth + 1);
  else if (tag === STRUCT) skipStruct(cursor, depth);
  else if (tag === FUNCTION) skipFunction(cursor, depth);
}

/** Parameters and results, each behind how it is passed, and the abilities. */
function skipFunction(cursor: Cursor, depth: number): void {
  for (let lists = 0; lists < 2; lists++) {
    for (let left = cursor.uleb(LENGTH_MAX); left > 0; left--) {
      cursor.uleb(LENGTH_MAX);
      skipType(cursor, depth + 1);
    }
  }
  cursor.skip(1);
}
