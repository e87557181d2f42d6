import { ACQUIRES_COUNT_MAX, type Cursor, INSTRUCTION_COUNT_MAX, LOCAL_COUNT_MAX, LOCAL_INDEX_MAX, TABLE_INDEX_MAX } from "./cursor.ts";
import type { StructDefinition } from "./definitions.ts";
import type { FunctionHandle, Signature } from "./handles.ts";
import { IMMEDIATE_BYTES, MASK, OPCODE_SINCE, OPERAND, operand } from "./opcodes.ts";
import type { Reference, References } from "./references.ts";

export type FunctionDefinition = {
  readonly handle: FunctionHandle;
  readonly visibility: "private" | "public" | "friend";
  readonly isEntry: boolean;
  readonly isNative: boolean;
  readonly acquires: readonly StructDefinition[];
  /** The functions that it calls, or makes function values of, each once in the order in which it first does. */
  readonly callees: readonly FunctionHandle[];
  /** Where its code begins in the module's bytes; that of a native function is empty. */
  readonly codeAt: number;
};

const NONE: readonly never[] = [];

/** A function definition. Its code is checked and skipped. Source: `load_function_def` in deserializer.rs. */
export function readFunctionDefinition(cursor: Cursor, tables: CodeTables): FunctionDefinition {
  const handle = cursor.pick(tables.functionHandles, "function handles");
  const { visibility, isEntry, isNative } = readFlags(cursor, tables.version);
  const acquires = readAcquires(cursor, tables.structs);
  const codeAt = cursor.at;
  const callees = isNative ? NONE : checkCode(cursor, handle, tables);
  return { handle, visibility, isEntry, isNative, acquires, callees, codeAt };
}

/** The tables that functions and their instructions name. */
type CodeTables = {
  readonly version: number;
  readonly functionHandles: readonly FunctionHandle[];
  readonly structs: readonly StructDefinition[];
  readonly signatures: readonly Signature[];
  readonly references: References;
  /** By the row of a function handle, where the code begins that called it last. */
  readonly callers: number[];
};

function readAcquires(cursor: Cursor, structs: readonly StructDefinition[]): readonly StructDefinition[] {
  const count = cursor.uleb(ACQUIRES_COUNT_MAX);
  if (count === 0) return NONE;
  const list: StructDefinition[] = [];
  for (let i = 0; i < count; i++) list.push(cursor.pick(structs, "struct definitions"));
  return list;
}

type Flags = { readonly visibility: FunctionDefinition["visibility"]; readonly isEntry: boolean; readonly isNative: boolean };

const VISIBILITIES: readonly (FunctionDefinition["visibility"] | undefined)[] = ["private", "public", undefined, "friend"];
const NATIVE = 2;
const ENTRY = 4;

function readFlags(cursor: Cursor, version: number): Flags {
  const at = cursor.at;
  const first = cursor.u8();
  if (version === 1) {
    if (first > 3) cursor.fail(`function flags ${first} do not exist in bytecode version 1`, at);
    return { visibility: first & 1 ? "public" : "private", isEntry: false, isNative: (first & NATIVE) !== 0 };
  }
  // Versions 2 to 4 have a visibility `script`, which became public and entry in version 5.
  const isScript = version < 5 && first === 2;
  const visibility = isScript ? "public" : VISIBILITIES[first];
  if (visibility === undefined) cursor.fail(`visibility ${first} does not exist in bytecode version ${version}`, at);
  const flags = cursor.u8();
  const known = version < 5 ? NATIVE : NATIVE | ENTRY;
  if (flags & ~known) cursor.fail(`function flags ${flags} do not exist in bytecode version ${version}`, at + 1);
  return { visibility, isEntry: isScript || (flags & ENTRY) !== 0, isNative: (flags & NATIVE) !== 0 };
}

/**
 * Checks and skips a function's code: every index is in its table, every branch target in the code. Returns the functions that it
 * calls or makes values of, each once, in order. Source: `load_code` in deserializer.rs, `check_code` in check_bounds.rs.
 */
function checkCode(cursor: Cursor, handle: FunctionHandle, tables: CodeTables): readonly FunctionHandle[] {
  const { version, signatures, references, callers } = tables;
  const begin = cursor.at;
  const locals = cursor.pick(signatures, "signatures");
  const generics = handle.typeParams.length;
  const localCount = locals.types.length + handle.params.types.length;
  if (localCount > LOCAL_COUNT_MAX) cursor.fail(`${handle.name} has ${localCount} locals`, begin);
  if (locals.parametersUsed > generics) cursor.fail(`a local of ${handle.name} uses a type parameter that it does not have`, begin);

  const count = cursor.uleb(INSTRUCTION_COUNT_MAX);
  const { rows, parametersUsed } = references;
  let callees: FunctionHandle[] | undefined;
  // Most bytes of a module go through this loop, so it calls the cursor's methods only in rare cases.
  const { bytes, end } = cursor;
  let at = cursor.at;
  for (let i = 0; i < count; i++) {
    const start = at;
    if (at >= end) cursor.fail("the code ends too early", at);
    const opcode = bytes[at++] as number;
    if ((OPCODE_SINCE[opcode] as number) > version) {
      cursor.fail(`instruction 0x${opcode.toString(16)} does not exist in bytecode version ${version}`, start);
    }
    const kind = OPERAND[opcode] as number;
    if (kind !== operand.none) {
      let index = at < end ? (bytes[at++] as number) : cursor.fail("the code ends too early", at);
      if (index >= 0x80) {
        cursor.at = at - 1;
        index = cursor.uleb(kind === operand.local ? LOCAL_INDEX_MAX : TABLE_INDEX_MAX);
        at = cursor.at;
      }
      const table = rows[kind] as readonly Reference[];
      const limit = kind === operand.offset ? count : kind === operand.local ? localCount : table.length;
      if (index >= limit) cursor.fail(`instruction 0x${opcode.toString(16)} names ${index} of ${limit}`, start);
      const used = parametersUsed[kind];
      if (used !== undefined && (used[index] as number) > generics) {
        cursor.fail(`${handle.name} uses a type parameter that it does not have`, start);
      }
      if (kind === operand.functionHandle || kind === operand.functionInstantiation) {
        const callee = (table[index] as Extract<Reference, { kind: "function" }>).handle;
        if (callers[callee.row] !== begin) {
          callers[callee.row] = begin;
          callees ??= [];
          callees.push(callee);
        }
      }
    }
    const extra = IMMEDIATE_BYTES[opcode] as number;
    if (extra === 0) continue;
    cursor.at = at;
    if (extra === MASK) cursor.skipU64();
    else cursor.skip(extra);
    at = cursor.at;
  }
  cursor.at = at;
  return callees ?? NONE;
}
