import { textOf } from "../../base/bytes.ts";
import { ADDRESS_BYTES, formatAddress } from "../address.ts";
import { ifDecodable } from "../decode-error.ts";
import { isIdentifier, type ModuleId } from "../module-id.ts";
import { Cursor, TABLE_COUNT_MAX, TABLE_INDEX_MAX, TABLE_SIZE_MAX } from "./cursor.ts";
import { readLayout, readVersion, table } from "./tables.ts";

/**
 * The name that a module gives itself; undefined if the bytes do not hold one. It reads only tables whose layout never changed, so a newer
 * module still has a name. Never throws.
 */
export function readSelfId(bytes: Uint8Array): ModuleId | undefined {
  return ifDecodable(() => readName(new Cursor(bytes)));
}

/** The bytecode version in the first eight bytes, or undefined if they are not a module's. Never throws. */
export function readBytecodeVersion(bytes: Uint8Array): number | undefined {
  return ifDecodable(() => readVersion(new Cursor(bytes)));
}

/**
 * Whether bytecode is a script. The format has no mark for it: a script defines no functions and structs, and after its tables, where a
 * module has one index, come type parameters, parameters and code. Never throws. Source: `deserialize_compiled_script` in deserializer.rs.
 */
export function isScript(bytes: Uint8Array): boolean {
  const layout = ifDecodable(() => {
    const cursor = new Cursor(bytes);
    return readLayout(cursor, readVersion(cursor));
  });
  if (layout === undefined || layout.tables[table.functionDefinitions] || layout.tables[table.structDefinitions]) return false;
  const end = new Cursor(bytes, layout.contentEnd);
  return ifDecodable(() => end.uleb(TABLE_INDEX_MAX)) !== undefined && end.more;
}

function readName(cursor: Cursor): ModuleId | undefined {
  readVersion(cursor);
  // By kind of table. Lists of numbers, since each night reads this of every module.
  const [offsets, ends]: [number[], number[]] = [[], []];
  let length = 0;
  for (let count = cursor.uleb(TABLE_COUNT_MAX); count > 0; count--) {
    const kind = cursor.u8();
    const offset = cursor.uleb(TABLE_SIZE_MAX);
    const end = offset + cursor.uleb(TABLE_SIZE_MAX);
    offsets[kind] = offset;
    ends[kind] = end;
    length = Math.max(length, end);
  }
  const base = cursor.at;
  cursor.skip(length);
  const open = (kind: number): Cursor => new Cursor(cursor.bytes, base + (offsets[kind] ?? 0), base + (ends[kind] ?? 0));

  const handles = open(table.moduleHandles);
  for (let skipped = cursor.uleb(TABLE_INDEX_MAX); skipped > 0; skipped--) {
    handles.uleb(TABLE_INDEX_MAX);
    handles.uleb(TABLE_INDEX_MAX);
  }
  const addresses = open(table.addresses);
  addresses.skip(handles.uleb(TABLE_INDEX_MAX) * ADDRESS_BYTES);
  const at = addresses.skip(ADDRESS_BYTES);
  const names = open(table.identifiers);
  // Longer names than today's limit of 255 exist on old chains.
  for (let skipped = handles.uleb(TABLE_INDEX_MAX); skipped > 0; skipped--) names.skip(names.uleb(TABLE_INDEX_MAX));
  const nameLength = names.uleb(TABLE_INDEX_MAX);
  const nameAt = names.skip(nameLength);
  const name = textOf(cursor.bytes.subarray(nameAt, nameAt + nameLength));
  return isIdentifier(name) ? { address: formatAddress(cursor.bytes.subarray(at, at + ADDRESS_BYTES)), name } : undefined;
}
