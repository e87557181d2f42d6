import type { Instruction } from "../../core/move/code/read-code.ts";
import { OPCODE_NAMES } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";

// What an instruction is to those who follow numbers or say what a function does.
const OTHER = 0;
export const [LOAD, STORE, BORROW, TRUTH, NUMBER, CAST, SIGNED_CAST, CALL, NAMING, OPERATOR, COMPUTING, VARIANT] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
];
/** A branch that may be taken; those from `BRANCH` on do not go on at the next instruction. */
export const [CONDITION, BRANCH, END, ABORT] = [13, 14, 15, 16];
/**
 * Kinds, and what is taken from the stack and put onto it, by names without `Generic`; others take one and put one. Source:
 * file_format.rs, `Bytecode`.
 */
const BY_NAME: readonly (readonly [names: string, kind: number, pops: number, pushes: number])[] = [
  ["CopyLoc MoveLoc", LOAD, 0, 1],
  ["StLoc", STORE, 1, 0],
  ["MutBorrowLoc", BORROW, 0, 1],
  ["ImmBorrowLoc", OTHER, 0, 1],
  ["LdU8 LdU16 LdU32 LdU64 LdU128 LdU256 LdI8 LdI16 LdI32 LdI64 LdI128 LdI256 LdConst", NUMBER, 0, 1],
  ["LdTrue LdFalse", TRUTH, 0, 1],
  ["CastU8 CastU16 CastU32 CastU64 CastU128 CastU256", CAST, 1, 1],
  ["CastI8 CastI16 CastI32 CastI64 CastI128 CastI256", SIGNED_CAST, 1, 1],
  ["Add Sub Mul Mod Div BitOr BitAnd Xor Or And Eq Neq Lt Gt Le Ge Shl Shr", OPERATOR, 2, 1],
  ["Negate", COMPUTING, 1, 1],
  ["WriteRef", COMPUTING, 2, 0],
  ["Call", CALL, 0, 0],
  ["PackClosure CallClosure", NAMING, 1, 1],
  ["MutBorrowField ImmBorrowField MutBorrowVariantField ImmBorrowVariantField", NAMING, 1, 1],
  ["Exists ImmBorrowGlobal MutBorrowGlobal MoveFrom", NAMING, 1, 1],
  ["MoveTo", NAMING, 2, 0],
  ["PackVariant TestVariant", VARIANT, 1, 1],
  ["BrTrue BrFalse", CONDITION, 1, 0],
  ["Branch", BRANCH, 0, 0],
  ["Ret", END, 0, 0],
  ["Abort", ABORT, 1, 0],
  ["AbortMsg", ABORT, 2, 0],
  ["Pop", OTHER, 1, 0],
  ["VecPushBack", OTHER, 2, 0],
  ["VecSwap", OTHER, 3, 0],
  ["VecImmBorrow VecMutBorrow", OTHER, 2, 1],
  ["Nop", OTHER, 0, 0],
];
/** Names without `Generic`, by opcode. */
export const BASE_NAMES = OPCODE_NAMES.map((name) => name.replace("Generic", ""));
const ROWS = BASE_NAMES.map((name) => BY_NAME.find(([names]) => names.split(" ").includes(name)) ?? (["", OTHER, 1, 1] as const));
/** By opcode. */
export const KINDS = Uint8Array.from(ROWS, ([, kind]) => kind);
const VARIES = /^(?:Call|CallClosure|Pack.*|Unpack.*|VecPack|VecUnpack)$/;
/** By opcode, how many values it takes from the stack and puts there; undefined where that depends on what it names. */
export const STACK_EFFECTS = ROWS.map(([, , pops, pushes], opcode) =>
  VARIES.test(BASE_NAMES[opcode] as string) ? undefined : ([pops, pushes] as const),
);

/** How many values an instruction takes from the stack, and how many it puts there, where it varies and it is no call. */
export function stackEffect({ name, value, reference }: Instruction): readonly [pops: number, pushes: number] {
  if (name.startsWith("PackClosure")) return [ones(value ?? 0n), 1];
  if (name === "VecPack") return [limited(value), 1];
  if (name === "VecUnpack") return [1, limited(value)];
  if (name.startsWith("Pack")) return [partsOf(reference), 1];
  if (name.startsWith("Unpack")) return [1, partsOf(reference)];
  const type = reference?.kind === "types" ? reference.types[0] : undefined;
  return type?.kind === "function" ? [type.params.length + 1, type.results.length] : [0, 0];
}

/** The VM's verifier keeps the stack below 1,024 values; a module that was never verified can claim any number. */
function limited(value = 0n): number {
  return value > 1_024n ? 1_024 : Number(value);
}

function partsOf(reference: Reference | undefined): number {
  if (reference?.kind === "struct") return reference.struct.fields.length;
  return reference?.kind === "variant" ? reference.variant.fields.length : 0;
}

function ones(mask: bigint): number {
  return mask.toString(2).replaceAll("0", "").length;
}
