import { textOf } from "../../base/bytes.ts";
import { ADDRESS_BYTES, formatAddress } from "../address.ts";
import type { ModuleId } from "../module-id.ts";
import { isIdentifier } from "../module-id.ts";
import { Cursor, TABLE_COUNT_MAX, TABLE_INDEX_MAX, TABLE_SIZE_MAX } from "./cursor.ts";
import { readLayout, readVersion, table } from "./tables.ts";

/**
 * The bytecode version and the name that a module gives itself; undefined if the bytes do not hold them. It reads only tables
 * whose layout never changed, so a newer module still has a name. Never throws.
 */
export function readSelfId(bytes: Uint8Array): { readonly bytecodeVersion: number; readonly id: ModuleId } | undefined {
  try {
    return read(new Cursor(bytes));
  } catch {
    return undefined;
  }
}

/** The bytecode version in the first eight bytes, or undefined if they are not a module's. Never throws. */
export function readBytecodeVersion(bytes: Uint8Array): number | undefined {
  try {
    return readVersion(new Cursor(bytes));
  } catch {
    return undefined;
  }
}

/**
 * Whether bytecode is a script. The format has no mark for it: a script defines no functions and structs, and after its tables, where a
 * module has one index, come type parameters, parameters and code. Never throws. Source: `deserialize_compiled_script` in deserializer.rs.
 */
export function isScript(bytes: Uint8Array): boolean {
  try {
    const cursor = new Cursor(bytes);
    const { tables, contentEnd } = readLayout(cursor, readVersion(cursor));
    if (tables[table.functionDefinitions] !== undefined || tables[table.structDefinitions] !== undefined) return false;
    const end = new Cursor(bytes, contentEnd);
    end.uleb(TABLE_INDEX_MAX);
    return end.more;
  } catch {
    return false;
  }
}

function read(cursor: Cursor): { bytecodeVersion: number; id: ModuleId } | undefined {
  const bytecodeVersion = readVersion(cursor);
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
  if (!isIdentifier(name)) return undefined;
  return { bytecodeVersion, id: { address: formatAddress(cursor.bytes.subarray(at, at + ADDRESS_BYTES)), name } };
}
