import { textOf } from "../../base/bytes.ts";
import { ADDRESS_BYTES, type Address, formatAddress } from "../address.ts";
import { isIdentifier, type ModuleId } from "../module-id.ts";
import { type Cursor, IDENTIFIER_SIZE_MAX, METADATA_KEY_SIZE_MAX, METADATA_VALUE_SIZE_MAX } from "./cursor.ts";
import { readRows } from "./tables.ts";

/** The identifiers of a module, one per row: since version 9 compilers put `$` into the names of functions that they generate. */
export function readIdentifiers(cursor: Cursor, version: number): string[] {
  const start = cursor.at;
  // One text for the whole table, and the names are slices of it: a conversion per name is several times slower.
  const text = textOf(cursor.bytes.subarray(start, cursor.end));
  return readRows(cursor, { version, start, text }, readIdentifier);
}

type Names = { readonly version: number; readonly start: number; readonly text: string };

function readIdentifier(cursor: Cursor, { version, start, text }: Names): string {
  const length = cursor.uleb(IDENTIFIER_SIZE_MAX);
  const at = cursor.skip(length);
  const name = text.slice(at - start, at - start + length);
  if (!isIdentifier(name) || (version < 9 && name.includes("$"))) cursor.fail("a name that is not an identifier", at);
  return name;
}

export function readAddress(cursor: Cursor): Address {
  const at = cursor.skip(ADDRESS_BYTES);
  return formatAddress(cursor.bytes.subarray(at, at + ADDRESS_BYTES));
}

type IdPools = { readonly addresses: readonly Address[]; readonly identifiers: readonly string[] };

export function readModuleId(cursor: Cursor, { addresses, identifiers }: IdPools): ModuleId {
  const address = cursor.pick(addresses, "addresses");
  return { address, name: cursor.pick(identifiers, "identifiers") };
}

/** One row of the metadata table; the value is a view of the module's bytes. */
export type MetadataEntry = { readonly key: string; readonly value: Uint8Array };

export function readMetadataEntry(cursor: Cursor): MetadataEntry {
  const { bytes } = cursor;
  const keyLength = cursor.uleb(METADATA_KEY_SIZE_MAX);
  const keyAt = cursor.skip(keyLength);
  const valueLength = cursor.uleb(METADATA_VALUE_SIZE_MAX);
  const valueAt = cursor.skip(valueLength);
  const key = textOf(bytes.subarray(keyAt, keyAt + keyLength));
  return { key, value: bytes.subarray(valueAt, valueAt + valueLength) };
}
