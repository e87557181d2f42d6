import { parseU64 } from "../../core/base/numbers.ts";
import { printable } from "../../core/base/printable.ts";
import { STORABLE_NAME } from "../../core/db/archive/content/observed-module.ts";
import { type RecordCells, recordIn, type StoredRecord } from "../../core/db/archive/snapshots/covering.ts";
import { StoreError } from "../../core/db/engine/errors.ts";
import { type Field, whole } from "../../core/db/engine/row-shape.ts";
import { type Address, parseAddress } from "../../core/move/address.ts";

// A foreign database comes from anybody. What seals cover, they vouch for; what else of a cell can do harm is looked at here.

/** The last moment that JavaScript's dates have. */
const TIME_MAX = 8_640_000_000_000_000;

/** An import that is refused, with why: a sentence without its full stop. */
export function refused(why: string): StoreError {
  return new StoreError("MOVEDEX_STORE_ARCHIVE", `the archive cannot be imported: ${printable(why, 1000)}. Nothing was imported.`);
}

/** A moment in milliseconds since 1970. */
export function moment(select: string): Field<number> {
  const { read, ...rest } = whole(select);
  return {
    ...rest,
    read: (cell) => {
      const ms = read(cell);
      if (ms < 0 || ms > TIME_MAX) throw refused(`it has ${ms} where a moment has to be`);
      return ms;
    },
  };
}

export function foreignAddress(text: string): Address {
  if (parseAddress(text) === text) return text as Address;
  throw refused(`\`${text}\` is no address`);
}

export function foreignName(text: string): string {
  if (STORABLE_NAME.test(text)) return text;
  throw refused(`\`${text}\` is not a module's name`);
}

/** The record in the cells of a row; undefined for none. */
export function foreignRecord(cells: RecordCells): StoredRecord | undefined {
  const record = recordIn(cells);
  if (record === undefined || (parseU64(`${record.sequenceNumber}`) !== undefined && record.authenticationKey.length === 32)) return record;
  throw refused("a record of it has no u64 for its sequence number, or no 32 bytes for its key");
}
