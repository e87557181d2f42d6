import { ADDRESS_BYTES } from "../address.ts";
import { ifDecodable } from "../decode-error.ts";
import { LENGTH_MAX, readBcs, readText } from "./bcs.ts";
import type { Cursor } from "./cursor.ts";

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
