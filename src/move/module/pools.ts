import { textOf } from "../../base/bytes.ts";
import { ADDRESS_BYTES, type Address, formatAddress } from "../address.ts";
import type { ModuleId } from "../module-id.ts";
import type { Cursor } from "./cursor.ts";
import { IDENTIFIER_SIZE_MAX, METADATA_KEY_SIZE_MAX, METADATA_VALUE_SIZE_MAX } from "./cursor.ts";
import { readRows } from "./tables.ts";

/** For each byte the version that first allowed it in an identifier: 1 for letters, digits and `_`, 0xff for never. */
const BYTE_SINCE = new Uint8Array(256).fill(0xff);
for (const letter of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") BYTE_SINCE[letter.charCodeAt(0)] = 1;
/** Since version 9 compilers put `$` into the names of functions that they generate. */
const DOLLAR = 0x24;
BYTE_SINCE[DOLLAR] = 9;
const UNDERSCORE = 0x5f;

const SELF = /^<SELF>(?:_[0-9]+)?$/;

/**
 * The identifiers of a module, one per row. The grammar is that of `IDENTIFIER`, with `$` only from version 9 on.
 */
export function readIdentifiers(cursor: Cursor, version: number): string[] {
  const { bytes } = cursor;
  const start = cursor.at;
  // One text for the whole table, and the names are slices of it: a conversion per name is several times slower.
  const text = textOf(bytes.subarray(start, cursor.end));
  return readRows(cursor, () => {
    const length = cursor.uleb(IDENTIFIER_SIZE_MAX);
    const at = cursor.skip(length);
    const name = text.slice(at - start, at - start + length);
    if (!isIdentifier(bytes, at, length, version) && !SELF.test(name)) cursor.fail("a name that is not an identifier", at);
    return name;
  });
}

export function readAddresses(cursor: Cursor): Address[] {
  return readRows(cursor, () => {
    const at = cursor.skip(ADDRESS_BYTES);
    return formatAddress(cursor.bytes.subarray(at, at + ADDRESS_BYTES));
  });
}

export function readModuleIds(cursor: Cursor, addresses: readonly Address[], identifiers: readonly string[]): ModuleId[] {
  return readRows(cursor, () => {
    const address = cursor.pick(addresses, "addresses");
    return { address, name: cursor.pick(identifiers, "identifiers") };
  });
}

/** One row of the metadata table; the value is a view of the module's bytes. */
export type MetadataEntry = { readonly key: string; readonly value: Uint8Array };

/** The metadata of a module, from version 5 on. */
export function readMetadataEntries(cursor: Cursor): MetadataEntry[] {
  const { bytes } = cursor;
  return readRows(cursor, () => {
    const keyLength = cursor.uleb(METADATA_KEY_SIZE_MAX);
    const keyAt = cursor.skip(keyLength);
    const valueLength = cursor.uleb(METADATA_VALUE_SIZE_MAX);
    const valueAt = cursor.skip(valueLength);
    const key = textOf(bytes.subarray(keyAt, keyAt + keyLength));
    return { key, value: bytes.subarray(valueAt, valueAt + valueLength) };
  });
}

function isIdentifier(bytes: Uint8Array, at: number, length: number, version: number): boolean {
  if (length === 0) return false;
  const first = bytes[at] as number;
  if (first >= 0x30 && first <= 0x39) return false;
  if (length === 1 && (first === UNDERSCORE || first === DOLLAR)) return false;
  for (let i = at; i < at + length; i++) if ((BYTE_SINCE[bytes[i] as number] as number) > version) return false;
  return true;
}
