import { ADDRESS_BYTES, type Address, addressBytes } from "../../src/core/move/address.ts";
import { Cursor, TABLE_INDEX_MAX } from "../../src/core/move/module/cursor.ts";
import { openTable, readLayout, readVersion, table } from "../../src/core/move/module/tables.ts";
import { ByteSink, encodeModule } from "../module-writer/module-encoder.ts";

/** The same bytecode as a module of `account`: it names that account as its own, and what it uses of others is where it was. */
export function withOwnAddress(bytes: Uint8Array, account: Address): Uint8Array {
  const cursor = new Cursor(bytes);
  const version = readVersion(cursor);
  const layout = readLayout(cursor, version);
  const self = new Cursor(bytes, layout.contentEnd).uleb(TABLE_INDEX_MAX);
  const tables = Object.entries(table).map(([name, kind]) => {
    const { start, end } = layout.tables[kind] ?? { start: 0, end: 0 };
    return [name, bytes.subarray(start, end)] as const;
  });
  const { moduleHandles: _, addresses = new Uint8Array(), ...others } = Object.fromEntries(tables);
  const handles = openTable(bytes, layout, table.moduleHandles);
  const own = new ByteSink();
  for (let i = 0; handles.more; i++) {
    const address = handles.uleb(TABLE_INDEX_MAX);
    own.uleb(i === self ? addresses.length / ADDRESS_BYTES : address).uleb(handles.uleb(TABLE_INDEX_MAX));
  }
  const rows = { ...others, moduleHandles: own.done(), addresses: Buffer.concat([addresses, addressBytes(account)]) };
  return encodeModule(version, Object.fromEntries(Object.entries(rows).map(([name, content]) => [name, [content]])), self);
}
