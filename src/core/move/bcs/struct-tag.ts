import { ADDRESS_BYTES } from "../address.ts";
import { StrictReader } from "./bcs.ts";

/** How deep types may lie in each other. Source: aptos-core `third_party/move/move-core/types/src/safe_serialize.rs`. */
const MAX_DEPTH = 8;

// The variants of a type tag. Source: aptos-core `third_party/move/move-core/types/src/language_storage.rs`.
const VECTOR = 6;
const STRUCT = 7;
const FUNCTION = 11;
const LAST = 17;

/** Whether bytes are the BCS of one struct tag, the type of a resource: address, module, name, type arguments. */
export function isStructTag(bytes: Uint8Array): boolean {
  const reader = new StrictReader(bytes);
  try {
    skipStruct(reader, 1);
  } catch {
    return false;
  }
  return reader.offset === bytes.length;
}

function skipStruct(reader: StrictReader, depth: number): void {
  reader.shift(ADDRESS_BYTES);
  for (let names = 0; names < 2; names++) reader.readText(reader.readULEB());
  skipTypes(reader, depth);
}

function skipTypes(reader: StrictReader, depth: number): void {
  for (let left = reader.readULEB(); left > 0; left--) skipType(reader, depth + 1);
}

function skipType(reader: StrictReader, depth: number): void {
  if (depth > MAX_DEPTH) throw new TypeError("types are nested too deeply");
  const tag = reader.readULEB();
  if (tag > LAST) throw new TypeError(`no type has the tag ${tag}`);
  if (tag === VECTOR) skipType(reader, depth + 1);
  else if (tag === STRUCT) skipStruct(reader, depth);
  else if (tag === FUNCTION) skipFunction(reader, depth);
}

/** Parameters and results, each behind how it is passed, and the abilities. */
function skipFunction(reader: StrictReader, depth: number): void {
  for (let lists = 0; lists < 2; lists++) {
    for (let left = reader.readULEB(); left > 0; left--) {
      reader.readULEB();
      skipType(reader, depth + 1);
    }
  }
  reader.shift(1);
}
