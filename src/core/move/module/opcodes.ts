// The instructions of the Move VM. Source: `Opcodes` in aptos-core's file_format_common.rs, names of `Bytecode` in file_format.rs.

/** What an instruction's operand refers to. From `constant` on these are tables of the module; an item's instantiations follow it. */
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

export const OPERAND_KINDS = 15;

/** In `IMMEDIATE_BYTES`: a base-128 number of up to 64 bits follows instead of fixed bytes. */
export const MASK = 255;

/** Consecutive opcodes with equal operands: the first opcode, the names, the operand, immediate bytes after it, first bytecode version. */
type Row = readonly [first: number, names: string, operand: number, bytes: number, since: number];

const o = operand;
// biome-ignore format: a table
const OPCODES: readonly Row[] = [
  [0x01, "Pop Ret", o.none, 0, 1],
  [0x03, "BrTrue BrFalse Branch", o.offset, 0, 1],
  [0x06, "LdU64", o.none, 8, 1],
  [0x07, "LdConst", o.constant, 0, 1],
  [0x08, "LdTrue LdFalse", o.none, 0, 1],
  [0x0a, "CopyLoc MoveLoc StLoc MutBorrowLoc ImmBorrowLoc", o.local, 0, 1],
  [0x0f, "MutBorrowField ImmBorrowField", o.fieldHandle, 0, 1],
  [0x11, "Call", o.functionHandle, 0, 1],
  [0x12, "Pack Unpack", o.structDefinition, 0, 1],
  [0x14, "ReadRef WriteRef Add Sub Mul Mod Div BitOr BitAnd Xor Or And Not Eq Neq Lt Gt Le Ge Abort Nop", o.none, 0, 1],
  [0x29, "Exists MutBorrowGlobal ImmBorrowGlobal MoveFrom MoveTo", o.structDefinition, 0, 1],
  [0x2e, "FreezeRef Shl Shr", o.none, 0, 1],
  [0x31, "LdU8", o.none, 1, 1],
  [0x32, "LdU128", o.none, 16, 1],
  [0x33, "CastU8 CastU64 CastU128", o.none, 0, 1],
  [0x36, "MutBorrowFieldGeneric ImmBorrowFieldGeneric", o.fieldInstantiation, 0, 1],
  [0x38, "CallGeneric", o.functionInstantiation, 0, 1],
  [0x39, "PackGeneric UnpackGeneric ExistsGeneric MutBorrowGlobalGeneric ImmBorrowGlobalGeneric MoveFromGeneric MoveToGeneric", o.structInstantiation, 0, 1],
  [0x40, "VecPack", o.signature, 8, 4],
  [0x41, "VecLen VecImmBorrow VecMutBorrow VecPushBack VecPopBack", o.signature, 0, 4],
  [0x46, "VecUnpack", o.signature, 8, 4],
  [0x47, "VecSwap", o.signature, 0, 4],
  [0x48, "LdU16", o.none, 2, 6],
  [0x49, "LdU32", o.none, 4, 6],
  [0x4a, "LdU256", o.none, 32, 6],
  [0x4b, "CastU16 CastU32 CastU256", o.none, 0, 6],
  [0x4e, "ImmBorrowVariantField MutBorrowVariantField", o.variantFieldHandle, 0, 7],
  [0x50, "ImmBorrowVariantFieldGeneric MutBorrowVariantFieldGeneric", o.variantFieldInstantiation, 0, 7],
  [0x52, "PackVariant", o.structVariantHandle, 0, 7],
  [0x53, "PackVariantGeneric", o.structVariantInstantiation, 0, 7],
  [0x54, "UnpackVariant", o.structVariantHandle, 0, 7],
  [0x55, "UnpackVariantGeneric", o.structVariantInstantiation, 0, 7],
  [0x56, "TestVariant", o.structVariantHandle, 0, 7],
  [0x57, "TestVariantGeneric", o.structVariantInstantiation, 0, 7],
  [0x58, "PackClosure", o.functionHandle, MASK, 8],
  [0x59, "PackClosureGeneric", o.functionInstantiation, MASK, 8],
  [0x5a, "CallClosure", o.signature, 0, 8],
  [0x5b, "LdI8", o.none, 1, 9],
  [0x5c, "LdI16", o.none, 2, 9],
  [0x5d, "LdI32", o.none, 4, 9],
  [0x5e, "LdI64", o.none, 8, 9],
  [0x5f, "LdI128", o.none, 16, 9],
  [0x60, "LdI256", o.none, 32, 9],
  [0x61, "CastI8 CastI16 CastI32 CastI64 CastI128 CastI256 Negate", o.none, 0, 9],
  [0x68, "AbortMsg", o.none, 0, 10],
];

export const OPERAND = new Uint8Array(256);
/** By opcode: how many bytes of immediate value follow the operand, or `MASK`. */
export const IMMEDIATE_BYTES = new Uint8Array(256);
/** By opcode: the bytecode version that introduced it; 0xff, which no version reaches, for a byte that is none. */
export const OPCODE_SINCE = new Uint8Array(256).fill(0xff);
export const OPCODE_NAMES: string[] = new Array<string>(256).fill("");
for (const [first, names, kind, bytes, since] of OPCODES) {
  for (const [i, name] of names.split(" ").entries()) {
    OPERAND[first + i] = kind;
    IMMEDIATE_BYTES[first + i] = bytes;
    OPCODE_SINCE[first + i] = since;
    OPCODE_NAMES[first + i] = name;
  }
}
