import { textOf } from "../../base/bytes.ts";
import { ADDRESS_BYTES, type Address, formatAddress } from "../address.ts";
import { DecodeError } from "../decode-error.ts";
import { isIdentifier, type ModuleId } from "../module-id.ts";
import {
  BYTECODE_VERSION_MAX,
  Cursor,
  IDENTIFIER_SIZE_MAX,
  METADATA_KEY_SIZE_MAX,
  METADATA_VALUE_SIZE_MAX,
  TABLE_COUNT_MAX,
  TABLE_ROWS_MAX,
  TABLE_SIZE_MAX,
} from "./cursor.ts";

/** The kinds of table, by their byte. There is no 0x09. Source: `TableType` in file_format_common.rs. */
export const table = {
  moduleHandles: 0x01,
  structHandles: 0x02,
  functionHandles: 0x03,
  functionInstantiations: 0x04,
  signatures: 0x05,
  constants: 0x06,
  identifiers: 0x07,
  addresses: 0x08,
  structDefinitions: 0x0a,
  structInstantiations: 0x0b,
  functionDefinitions: 0x0c,
  fieldHandles: 0x0d,
  fieldInstantiations: 0x0e,
  friends: 0x0f,
  metadata: 0x10,
  variantFieldHandles: 0x11,
  variantFieldInstantiations: 0x12,
  structVariantHandles: 0x13,
  structVariantInstantiations: 0x14,
} as const;

const NAMES = new Map<number, string>(Object.entries(table).map(([name, kind]) => [kind, name]));

/** The version that introduced a kind of table; kinds not listed exist since version 1. */
const SINCE: Readonly<Record<number, number>> = {
  [table.friends]: 2,
  [table.metadata]: 5,
  [table.variantFieldHandles]: 7,
  [table.variantFieldInstantiations]: 7,
  [table.structVariantHandles]: 7,
  [table.structVariantInstantiations]: 7,
};

/** Where a table lies: from `start` to before `end`. */
export type Table = { readonly kind: number; readonly start: number; readonly end: number };

/** A module's version and the position of its tables by kind; undefined for a table that it does not have. */
export type Layout = { readonly version: number; readonly tables: readonly (Table | undefined)[]; readonly contentEnd: number };

const MAGIC = [0xa1, 0x1c, 0xeb, 0x0b] as const;

/** From version 7 on, Aptos sets these bits of the version word. Source: `APTOS_BYTECODE_VERSION_MASK`. */
const VERSION_FLAVOR = 0x0a00_0000;

/** The version word after the magic bytes, without the flavour bits. @throws DecodeError */
export function readVersion(cursor: Cursor): number {
  for (const byte of MAGIC) {
    if (!cursor.more || cursor.bytes[cursor.at] !== byte) cursor.fail("it does not begin with a1 1c eb 0b");
    cursor.at++;
  }
  const word = cursor.u16() | (cursor.u16() << 16);
  return (word & ~VERSION_FLAVOR) >>> 0;
}

/** The version, refused if it is 0 or newer than this reader. @throws DecodeError */
export function readKnownVersion(cursor: Cursor): number {
  const version = readVersion(cursor);
  if (version === 0) cursor.fail("bytecode version 0 does not exist", 4);
  if (version > BYTECODE_VERSION_MAX) {
    throw new DecodeError("unsupported", `bytecode version ${version}, and ${BYTECODE_VERSION_MAX} is the newest known here`, 4);
  }
  return version;
}

/**
 * The table headers after the version. Sorted by offset, the tables must follow each other without gap or overlap from 0
 * on; none may be empty, occur twice or be newer than the version. Source: `check_tables` in deserializer.rs.
 */
export function readLayout(cursor: Cursor, version: number): Layout {
  const count = cursor.uleb(TABLE_COUNT_MAX);
  const headers: { kind: number; offset: number; length: number; at: number }[] = [];
  for (let i = 0; i < count; i++) {
    const at = cursor.at;
    const kind = cursor.u8();
    const name = NAMES.get(kind);
    if (name === undefined) cursor.fail(`table kind ${kind} does not exist`, at);
    if ((SINCE[kind] ?? 1) > version) cursor.fail(`table ${name} does not exist in bytecode version ${version}`, at);
    headers.push({ kind, offset: cursor.uleb(TABLE_SIZE_MAX), length: cursor.uleb(TABLE_SIZE_MAX), at });
  }
  headers.sort((a, b) => a.offset - b.offset);
  const tables: (Table | undefined)[] = new Array(table.structVariantInstantiations + 1).fill(undefined);
  const base = cursor.at;
  let offset = 0;
  for (const header of headers) {
    const name = NAMES.get(header.kind);
    if (header.offset !== offset) cursor.fail(`table ${name} begins at ${header.offset} instead of ${offset}`, header.at);
    if (header.length === 0) cursor.fail(`table ${name} is empty`, header.at);
    if (tables[header.kind]) cursor.fail(`table ${name} occurs twice`, header.at);
    offset += header.length;
    if (offset > cursor.end - base) cursor.fail(`table ${name} ends after the module's last byte`, header.at);
    tables[header.kind] = { kind: header.kind, start: base + header.offset, end: base + offset };
  }
  return { version, tables, contentEnd: base + offset };
}

/** A cursor over the rows of a table. A table that the module does not have reads as one without rows. */
export function openTable(bytes: Uint8Array, { tables, contentEnd }: Layout, kind: number): Cursor {
  const found = tables[kind];
  return found ? new Cursor(bytes, found.start, found.end) : new Cursor(bytes, contentEnd, contentEnd);
}

/**
 * Reads a table's rows until its bytes are used up. `read` takes what it needs as `given` and is no closure: V8 throws away the compiled
 * code of those at each collection, and a crawl compiles them again. @throws DecodeError `MOVEDEX_DECODE_LIMIT` above `TABLE_ROWS_MAX` rows
 */
export function readRows<T, Given>(cursor: Cursor, given: Given, read: (cursor: Cursor, given: Given, row: number) => T): T[] {
  const rows: T[] = [];
  while (cursor.more) {
    if (rows.length === TABLE_ROWS_MAX) throw new DecodeError("limit", `a table has more than ${TABLE_ROWS_MAX} rows`, cursor.at);
    rows.push(read(cursor, given, rows.length));
  }
  return rows;
}

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
