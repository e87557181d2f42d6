import { STORABLE_NAME } from "../../archive/content/bytecodes.ts";
import { recordIn, type StoredRecord } from "../../archive/snapshots/covering.ts";
import type { Cell } from "../../base/cell.ts";
import { printable } from "../../base/printable.ts";
import { LEDGER_VERSION_MAX, parseU64 } from "../../base/u64.ts";
import { StoreError } from "../../engine/errors.ts";
import { type Address, parseAddress } from "../../move/address.ts";

// What a cell of a foreign database must be: such a database comes from anybody, and its tables say nothing of what is in them.

/** The last moment that JavaScript's dates have. */
const TIME_MAX = 8_640_000_000_000_000;

/** An import that is refused, with why: a sentence without its full stop. */
export function refused(why: string): StoreError {
  return new StoreError("MOVEDEX_STORE_ARCHIVE", `the archive cannot be imported: ${why}. Nothing was imported.`);
}

export function addressIn(cell: Cell): Address {
  const address = typeof cell === "string" ? parseAddress(cell) : undefined;
  if (address !== undefined && address === cell) return address;
  throw noSuch(cell, "an address");
}

export function nameIn(cell: Cell): string {
  if (typeof cell === "string" && STORABLE_NAME.test(cell)) return cell;
  throw noSuch(cell, "a module's name");
}

/** Bytes of a digest or a key. */
export function keyIn(cell: Cell): Uint8Array {
  if (cell instanceof Uint8Array && cell.length === 32) return cell;
  throw noSuch(cell, "32 bytes");
}

export function versionIn(cell: Cell): bigint {
  const version = typeof cell === "number" || typeof cell === "bigint" ? BigInt(cell) : -1n;
  if (version >= 0n && version <= LEDGER_VERSION_MAX) return version;
  throw noSuch(cell, "a ledger version");
}

export function u64In(cell: Cell): bigint {
  const value = typeof cell === "string" ? parseU64(cell) : undefined;
  if (value !== undefined) return value;
  throw noSuch(cell, "a u64");
}

/** A count, or a moment in milliseconds. */
export function wholeIn(cell: Cell): number {
  if (typeof cell === "number" && cell >= 0 && cell <= TIME_MAX) return cell;
  throw noSuch(cell, "a whole number");
}

/** Text as it is stored where it came from others. */
export function textIn(cell: Cell): string {
  if (typeof cell === "string" && printable(cell, 10_000) === cell) return cell;
  throw noSuch(cell, "printable text");
}

export function orNullIn<T>(read: (cell: Cell) => T, cell: Cell): T | null {
  return cell === null ? null : read(cell);
}

/** The record in the cells of a row; undefined for none. */
export function recordOf([sequenceNumber, authenticationKey, resource]: readonly [Cell, Cell, Cell]): StoredRecord | undefined {
  if (sequenceNumber === null && authenticationKey === null && resource === null) return undefined;
  if (resource !== null && !(resource instanceof Uint8Array)) throw noSuch(resource, "bytes");
  return recordIn([u64In(sequenceNumber).toString(), keyIn(authenticationKey), resource]);
}

function noSuch(cell: Cell, wanted: string): StoreError {
  const shown = cell instanceof Uint8Array ? `${cell.length} bytes` : cell === null ? "nothing" : `\`${printable(String(cell), 80)}\``;
  return refused(`it has ${shown} where ${wanted} has to be`);
}
