import type { ModuleId } from "../module-id.ts";
import type { Cursor } from "./cursor.ts";
import { ACCESS_SPECIFIER_COUNT_MAX, FUNCTION_ATTRIBUTE_COUNT_MAX, LOCAL_INDEX_MAX, TABLE_INDEX_MAX } from "./limits.ts";
import { readRows } from "./rows.ts";
import { type HandlePools, readTypeParameters, type TypeParameter } from "./struct-handles.ts";
import type { Signature } from "./type-reader.ts";

/** A function attribute in the bytecode, from version 8 on: its name, and the index of a field or variant if it has one. */
export type FunctionMark = { readonly name: string; readonly operand?: number };

export type FunctionHandle = {
  readonly module: ModuleId;
  readonly name: string;
  readonly params: Signature;
  readonly returns: Signature;
  readonly typeParams: readonly TypeParameter[];
  readonly marks: readonly FunctionMark[];
};

export function readFunctionHandles(
  cursor: Cursor,
  { version, modules, identifiers }: HandlePools,
  signatures: readonly Signature[],
): FunctionHandle[] {
  return readRows(cursor, () => {
    const at = cursor.at;
    const module = cursor.pick(modules, "module handles");
    const name = cursor.pick(identifiers, "identifiers");
    const params = cursor.pick(signatures, "signatures");
    const returns = cursor.pick(signatures, "signatures");
    const typeParams = readTypeParameters(cursor, version, "functionParameter");
    if (Math.max(params.parametersUsed, returns.parametersUsed) > typeParams.length) {
      cursor.fail(`${name} has ${typeParams.length} type parameters and its types use more`, at);
    }
    if (version >= 7) skipAccessSpecifiers(cursor);
    const marks = version >= 8 ? readMarks(cursor, version) : NO_MARKS;
    return { module, name, params, returns, typeParams, marks };
  });
}

const NO_MARKS: readonly FunctionMark[] = [];

/**
 * Function attributes by their byte: the version that introduced each, and whether a two-byte index follows.
 * Source: `load_function_attributes` in deserializer.rs, which refuses them in older versions.
 */
const MARKS: readonly (readonly [name: string, since: number, operand: boolean] | undefined)[] = [
  undefined,
  ["persistent", 8, false],
  ["module_lock", 8, false],
  ["pack", 10, false],
  ["pack_variant", 10, true],
  ["unpack", 10, false],
  ["unpack_variant", 10, true],
  ["test_variant", 10, true],
  ["borrow", 10, true],
  ["borrow_mut", 10, true],
];

function readMarks(cursor: Cursor, version: number): readonly FunctionMark[] {
  const count = cursor.uleb(FUNCTION_ATTRIBUTE_COUNT_MAX);
  if (count === 0) return NO_MARKS;
  const marks: FunctionMark[] = [];
  for (let i = 0; i < count; i++) {
    const at = cursor.at;
    const kind = cursor.u8();
    const [name, since, operand] = MARKS[kind] ?? cursor.fail(`function attribute ${kind} does not exist`, at);
    if (since > version) cursor.fail(`function attribute ${name} does not exist in bytecode version ${version}`, at);
    marks.push(operand ? { name, operand: cursor.u16() } : { name });
  }
  return marks;
}

/**
 * Skips the access specifiers of a function handle (from version 7): which storage the function may touch. Indexes are
 * bounded but not looked up, as in the node's reader. Source: `load_access_specifiers` in deserializer.rs.
 */
function skipAccessSpecifiers(cursor: Cursor): void {
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
