import { Cursor } from "../module/cursor.ts";
import type { FunctionHandle } from "../module/function-handles.ts";
import { ACQUIRES_COUNT_MAX, INSTRUCTION_COUNT_MAX, TABLE_INDEX_MAX } from "../module/limits.ts";
import { type CompiledModule, readModule } from "../module/module.ts";
import { IMMEDIATE_BYTES, MASK, OPERAND, operand } from "../module/opcodes.ts";
import { readRows } from "../module/rows.ts";
import { openTable, readKnownVersion, readLayout, table } from "../module/tables.ts";

/** The functions that one function calls, or makes function values of, each once in the order in which it first does. */
export type Calls = {
  /** A function that the module defines. */
  readonly caller: FunctionHandle;
  readonly callees: readonly FunctionHandle[];
};

/** What the functions of a module call. Functions that call nothing are left out. */
export type ModuleCalls = { readonly module: CompiledModule; readonly calls: readonly Calls[] };

/**
 * Reads which functions a module's functions call, its own among them, directly or by making a function value of them.
 * What is called through a function value, and what natives call, is not in the bytecode.
 *
 * @param module the same bytes, where they have been read before
 * @throws DecodeError
 */
export function callsOf(bytes: Uint8Array, module: CompiledModule = readModule(bytes)): ModuleCalls {
  const header = new Cursor(bytes);
  const layout = readLayout(header, readKnownVersion(header));
  const generic = readRows(openTable(bytes, layout, table.functionInstantiations), (cursor) => {
    const handle = cursor.uleb(TABLE_INDEX_MAX);
    cursor.uleb(TABLE_INDEX_MAX);
    return handle;
  });
  const cursor = openTable(bytes, layout, table.functionDefinitions);
  const calls: Calls[] = [];
  for (const { handle, isNative } of module.functions) {
    const callees = readCallees(cursor, module, isNative, generic);
    if (callees.length > 0) calls.push({ caller: handle, callees });
  }
  return { module, calls };
}

/** Reads one function's definition. The module has been checked, so every index is in bounds. */
function readCallees(cursor: Cursor, module: CompiledModule, isNative: boolean, generic: readonly number[]): FunctionHandle[] {
  cursor.uleb(TABLE_INDEX_MAX);
  // Version 1 has one byte for visibility and flags.
  cursor.skip(module.version === 1 ? 1 : 2);
  for (let count = cursor.uleb(ACQUIRES_COUNT_MAX); count > 0; count--) cursor.uleb(TABLE_INDEX_MAX);
  if (isNative) return [];
  cursor.uleb(TABLE_INDEX_MAX);
  const found = new Set<number>();
  for (let count = cursor.uleb(INSTRUCTION_COUNT_MAX); count > 0; count--) {
    const opcode = cursor.u8();
    const kind = OPERAND[opcode] as number;
    const index = kind === operand.none ? 0 : cursor.uleb(TABLE_INDEX_MAX);
    if (kind === operand.functionHandle) found.add(index);
    else if (kind === operand.functionInstantiation) found.add(generic[index] as number);
    const size = IMMEDIATE_BYTES[opcode] as number;
    if (size === MASK) cursor.skipU64();
    else if (size > 0) cursor.skip(size);
  }
  return Array.from(found, (index) => module.functionHandles[index] as FunctionHandle);
}
