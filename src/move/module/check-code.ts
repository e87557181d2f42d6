import type { Cursor } from "./cursor.ts";
import { INSTRUCTION_COUNT_MAX, LOCAL_COUNT_MAX, LOCAL_INDEX_MAX, TABLE_INDEX_MAX } from "./cursor.ts";
import type { FunctionHandle, Signature } from "./handles.ts";
import { IMMEDIATE_BYTES, MASK, OPCODE_SINCE, OPERAND, operand } from "./opcodes.ts";

/** What operands of instructions are checked against: the number of rows of each table, and the type parameters that rows use. */
export type CodeBounds = {
  readonly signatures: readonly Signature[];
  /** Number of rows by `operand`. `checkCode` itself sets the counts of code offsets and locals for each function. */
  readonly counts: Uint32Array;
  /** By `operand`, for each row: how many type parameters the enclosing function must have; undefined if none in any row. */
  readonly parametersUsed: readonly (readonly number[] | undefined)[];
  readonly functionHandles: readonly FunctionHandle[];
  /** By row of the function instantiations: the row of the function handles. */
  readonly instantiated: readonly number[];
  /** By function handle: where the code begins of the function that was last seen to call it. */
  readonly lastCaller: number[];
};

/**
 * Checks and skips a function's code: every index is in its table, every branch target in the code. Returns the functions that it
 * calls or makes values of, each once, in order. Source: `load_code` in deserializer.rs, `check_code` in check_bounds.rs.
 */
export function checkCode(cursor: Cursor, version: number, handle: FunctionHandle, bounds: CodeBounds): readonly FunctionHandle[] {
  const begin = cursor.at;
  const locals = cursor.pick(bounds.signatures, "signatures");
  const generics = handle.typeParams.length;
  const localCount = locals.types.length + handle.params.types.length;
  if (localCount > LOCAL_COUNT_MAX) cursor.fail(`${handle.name} has ${localCount} locals`, begin);
  if (locals.parametersUsed > generics) cursor.fail(`a local of ${handle.name} uses a type parameter that it does not have`, begin);

  const count = cursor.uleb(INSTRUCTION_COUNT_MAX);
  const { counts, parametersUsed, functionHandles, instantiated, lastCaller } = bounds;
  const callees: FunctionHandle[] = [];
  counts[operand.offset] = count;
  counts[operand.local] = localCount;
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
      const limit = counts[kind] as number;
      if (index >= limit) cursor.fail(`instruction 0x${opcode.toString(16)} names ${index} of ${limit}`, start);
      const used = parametersUsed[kind];
      if (used !== undefined && (used[index] as number) > generics) {
        cursor.fail(`${handle.name} uses a type parameter that it does not have`, start);
      }
      if (kind === operand.functionHandle || kind === operand.functionInstantiation) {
        const callee = kind === operand.functionHandle ? index : (instantiated[index] as number);
        if (lastCaller[callee] !== begin) callees.push(functionHandles[callee] as FunctionHandle);
        lastCaller[callee] = begin;
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
  return callees;
}
