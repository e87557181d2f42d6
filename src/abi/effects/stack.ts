import type { Instruction } from "../../move/code/read-code.ts";
import type { Reference } from "../../move/code/references.ts";
import { OPCODE_NAMES } from "../../move/module/opcodes.ts";

type StackEffect = readonly [pops: number, pushes: number];

/** What instructions take from the stack and put onto it, by their names. Source: `Bytecode` in aptos-core's file_format.rs. */
const BY_NAME = new Map<string, StackEffect>(
  (
    [
      ["Pop BrTrue BrFalse Abort StLoc", [1, 0]],
      ["AbortMsg WriteRef MoveTo MoveToGeneric VecPushBack", [2, 0]],
      ["VecSwap", [3, 0]],
      ["Ret Branch Nop", [0, 0]],
      ["CopyLoc MoveLoc MutBorrowLoc ImmBorrowLoc", [0, 1]],
      ["Add Sub Mul Mod Div BitOr BitAnd Xor Or And Eq Neq Lt Gt Le Ge Shl Shr VecImmBorrow VecMutBorrow", [2, 1]],
    ] as const
  ).flatMap(([names, effect]) => names.split(" ").map((name) => [name, effect] as const)),
);
/** Those that depend on what they name. */
const VARYING = /^(?:Call|Pack|Unpack|VecPack|VecUnpack)/;
const BY_OPCODE = OPCODE_NAMES.map((name): StackEffect | undefined =>
  VARYING.test(name) ? undefined : (BY_NAME.get(name) ?? (name.startsWith("Ld") ? [0, 1] : [1, 1])),
);

/** How many values an instruction takes from the stack, and how many it puts there. */
export function stackEffect({ opcode, name, value, reference }: Instruction): StackEffect {
  const simple = BY_OPCODE[opcode];
  if (simple !== undefined) return simple;
  if (name.startsWith("PackClosure")) return [ones(value ?? 0n), 1];
  if (reference?.kind === "function") return [reference.handle.params.types.length, reference.handle.returns.types.length];
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
