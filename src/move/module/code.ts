import type { Cursor } from "./cursor.ts";
import type { FunctionHandle } from "./function-handles.ts";
import { INSTRUCTION_COUNT_MAX, LOCAL_COUNT_MAX, LOCAL_INDEX_MAX, TABLE_INDEX_MAX } from "./limits.ts";
import { pick } from "./table-index.ts";
import type { Signature } from "./type-reader.ts";

/** What operands of instructions are checked against: the number of rows of each table, and the type parameters that rows use. */
export type CodeBounds = {
  readonly signatures: readonly Signature[];
  /** Number of rows by `operand`. `checkCode` itself sets the counts of code offsets and locals for each function. */
  readonly counts: Uint32Array;
  /** By `operand`, for each row: how many type parameters the enclosing function must have; undefined if none in any row. */
  readonly parametersUsed: readonly (readonly number[] | undefined)[];
};

/** What an instruction's operand refers to. From `constant` on these are tables of the module. */
export const operand = {
  none: 0,
  offset: 1,
  local: 2,
  constant: 3,
  functionHandle: 4,
  functionInstantiation: 5,
  structDefinition: 6,
  structInstantiation: 7,
  fieldHandle: 8,
  fieldInstantiation: 9,
  variantFieldHandle: 10,
  variantFieldInstantiation: 11,
  structVariantHandle: 12,
  structVariantInstantiation: 13,
  signature: 14,
} as const;

/** Number of operand kinds. */
export const OPERAND_KINDS = 15;

/** In a row's `bytes`: a second operand follows, a base-128 number of up to 64 bits. */
const MASK = 255;

/** A range of opcodes: their operand, the fixed bytes after it, the version that introduced them. Source: `Opcodes` in file_format_common.rs. */
type Row = readonly [first: number, last: number, operand: number, bytes: number, since: number];

const o = operand;
const OPCODES: readonly Row[] = [
  [0x01, 0x02, o.none, 0, 1],
  [0x03, 0x05, o.offset, 0, 1],
  [0x06, 0x06, o.none, 8, 1],
  [0x07, 0x07, o.constant, 0, 1],
  [0x08, 0x09, o.none, 0, 1],
  [0x0a, 0x0e, o.local, 0, 1],
  [0x0f, 0x10, o.fieldHandle, 0, 1],
  [0x11, 0x11, o.functionHandle, 0, 1],
  [0x12, 0x13, o.structDefinition, 0, 1],
  [0x14, 0x28, o.none, 0, 1],
  [0x29, 0x2d, o.structDefinition, 0, 1],
  [0x2e, 0x30, o.none, 0, 1],
  [0x31, 0x31, o.none, 1, 1],
  [0x32, 0x32, o.none, 16, 1],
  [0x33, 0x35, o.none, 0, 1],
  [0x36, 0x37, o.fieldInstantiation, 0, 1],
  [0x38, 0x38, o.functionInstantiation, 0, 1],
  [0x39, 0x3f, o.structInstantiation, 0, 1],
  [0x40, 0x40, o.signature, 8, 4],
  [0x41, 0x45, o.signature, 0, 4],
  [0x46, 0x46, o.signature, 8, 4],
  [0x47, 0x47, o.signature, 0, 4],
  [0x48, 0x48, o.none, 2, 6],
  [0x49, 0x49, o.none, 4, 6],
  [0x4a, 0x4a, o.none, 32, 6],
  [0x4b, 0x4d, o.none, 0, 6],
  [0x4e, 0x4f, o.variantFieldHandle, 0, 7],
  [0x50, 0x51, o.variantFieldInstantiation, 0, 7],
  [0x52, 0x52, o.structVariantHandle, 0, 7],
  [0x53, 0x53, o.structVariantInstantiation, 0, 7],
  [0x54, 0x54, o.structVariantHandle, 0, 7],
  [0x55, 0x55, o.structVariantInstantiation, 0, 7],
  [0x56, 0x56, o.structVariantHandle, 0, 7],
  [0x57, 0x57, o.structVariantInstantiation, 0, 7],
  [0x58, 0x58, o.functionHandle, MASK, 8],
  [0x59, 0x59, o.functionInstantiation, MASK, 8],
  [0x5a, 0x5a, o.signature, 0, 8],
  [0x5b, 0x5b, o.none, 1, 9],
  [0x5c, 0x5c, o.none, 2, 9],
  [0x5d, 0x5d, o.none, 4, 9],
  [0x5e, 0x5e, o.none, 8, 9],
  [0x5f, 0x5f, o.none, 16, 9],
  [0x60, 0x60, o.none, 32, 9],
  [0x61, 0x67, o.none, 0, 9],
  [0x68, 0x68, o.none, 0, 10],
];

const OPERAND = new Uint8Array(256);
const BYTES = new Uint8Array(256);
/** The version that introduced an opcode; 0xff, which no version reaches, for a byte that is none. */
const SINCE = new Uint8Array(256).fill(0xff);
for (const [first, last, kind, bytes, since] of OPCODES) {
  OPERAND.fill(kind, first, last + 1);
  BYTES.fill(bytes, first, last + 1);
  SINCE.fill(since, first, last + 1);
}

/**
 * Checks and skips the code of one function: locals and instructions. Nothing is interpreted, but every index must be in
 * its table and every branch target inside the code. Source: `load_code` in deserializer.rs, `check_code` in check_bounds.rs.
 */
export function checkCode(cursor: Cursor, version: number, handle: FunctionHandle, bounds: CodeBounds): void {
  const start = cursor.at;
  const locals = pick(cursor, bounds.signatures, "signatures");
  const generics = handle.typeParams.length;
  const localCount = locals.types.length + handle.params.types.length;
  if (localCount > LOCAL_COUNT_MAX) cursor.fail(`${handle.name} has ${localCount} locals`, start);
  if (locals.parametersUsed > generics) cursor.fail(`a local of ${handle.name} uses a type parameter that it does not have`, start);

  const count = cursor.uleb(INSTRUCTION_COUNT_MAX);
  const { counts, parametersUsed } = bounds;
  counts[operand.offset] = count;
  counts[operand.local] = localCount;
  // Most bytes of a module go through this loop, so it calls the cursor's methods only in rare cases.
  const { bytes, end } = cursor;
  let at = cursor.at;
  for (let i = 0; i < count; i++) {
    const start = at;
    if (at >= end) cursor.fail("the code ends too early", at);
    const opcode = bytes[at++] as number;
    if ((SINCE[opcode] as number) > version) {
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
    }
    const extra = BYTES[opcode] as number;
    if (extra === 0) continue;
    cursor.at = at;
    if (extra === MASK) cursor.skipU64();
    else cursor.skip(extra);
    at = cursor.at;
  }
  cursor.at = at;
}
