import type { Cursor } from "./cursor.ts";
import { ACCESS_SPECIFIER_COUNT_MAX, LOCAL_INDEX_MAX, TABLE_INDEX_MAX } from "./limits.ts";

/**
 * Skips the access specifiers of a function handle (from version 7): which storage the function may touch. Indexes are
 * bounded but not looked up, as in the node's reader. Source: `load_access_specifiers` in deserializer.rs.
 */
export function skipAccessSpecifiers(cursor: Cursor): void {
  if (!readOption(cursor)) return;
  const count = cursor.uleb(ACCESS_SPECIFIER_COUNT_MAX);
  for (let i = 0; i < count; i++) {
    readChoice(cursor, 2, "access kind");
    readChoice(cursor, 2, "boolean");
    skipResource(cursor);
    skipAddress(cursor);
  }
}

function skipResource(cursor: Cursor): void {
  const choice = readChoice(cursor, 5, "resource specifier");
  // 1 any; 2 an address, 3 a module, 4 a struct; 5 a struct and a signature.
  if (choice > 1) cursor.uleb(TABLE_INDEX_MAX);
  if (choice === 5) cursor.uleb(TABLE_INDEX_MAX);
}

function skipAddress(cursor: Cursor): void {
  const choice = readChoice(cursor, 3, "address specifier");
  if (choice === 2) cursor.uleb(TABLE_INDEX_MAX);
  if (choice === 3) {
    cursor.uleb(LOCAL_INDEX_MAX);
    if (readOption(cursor)) cursor.uleb(TABLE_INDEX_MAX);
  }
}

function readOption(cursor: Cursor): boolean {
  return readChoice(cursor, 2, "option") === 2;
}

/** One byte from 1 to `choices`. */
function readChoice(cursor: Cursor, choices: number, what: string): number {
  const at = cursor.at;
  const choice = cursor.u8();
  return choice >= 1 && choice <= choices ? choice : cursor.fail(`${what} ${choice} does not exist`, at);
}
