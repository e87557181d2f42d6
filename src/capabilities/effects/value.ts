import type { Instruction } from "../../core/move/code/read-code.ts";
import { OPCODE_NAMES } from "../../core/move/module/opcodes.ts";
import type { Reference } from "../../core/move/module/references.ts";
import { categoryOf } from "./abort-codes.ts";

/** A number, or a number that is added to one of the function's parameters. */
export type Term = { readonly param: number | undefined; readonly plus: bigint };

/** What a value can be, and the places of the literals that it comes from; undefined if it can be anything. */
export type Value = { readonly terms: readonly Term[]; readonly literals: readonly number[] } | undefined;

/** Numbers that a value is followed through; real code joins two or three. */
const TERMS_MAX = 8;

export function literalAt(place: number, plus: bigint): Value {
  return { terms: [{ param: undefined, plus }], literals: [place] };
}

export function parameter(param: number): Value {
  return { terms: [{ param, plus: 0n }], literals: [] };
}

/** Either of two values, as where two branches meet. */
export function join(a: Value, b: Value): Value {
  if (a === b || a === undefined || b === undefined) return a === b ? a : undefined;
  const terms = [...a.terms, ...b.terms.filter((term) => !a.terms.some((one) => one.param === term.param && one.plus === term.plus))];
  if (terms.length > TERMS_MAX) return undefined;
  const literals = [...new Set([...a.literals, ...b.literals])];
  return terms.length === a.terms.length && literals.length === a.literals.length ? a : { terms, literals };
}

/** The one number that a value is; undefined if it may be several, or depends on a parameter. */
export function onlyNumber(value: Value): bigint | undefined {
  const term = value?.terms.length === 1 ? value.terms[0] : undefined;
  return term?.param === undefined ? term?.plus : undefined;
}

/** A callee's value in terms of its caller, by the arguments of the call. */
export function inCaller(value: Value, args: readonly Value[]): Value {
  if (value === undefined) return undefined;
  let found: Value = { terms: [], literals: [] };
  for (const { param, plus } of value.terms) {
    const given: Value = param === undefined ? { terms: [{ param, plus: 0n }], literals: [] } : args[param];
    found = join(found, given && { ...given, terms: given.terms.map((term) => ({ ...term, plus: term.plus + plus })) });
  }
  return found;
}

/**
 * What a function of `0x1::error` makes of its arguments: category × 65536 + reason; undefined for another function. Source: aptos-core
 * `aptos-move/framework/move-stdlib/sources/error.move`.
 */
export function canonicalCode(name: string, args: readonly Value[]): Value {
  const [category, reason] = name === "canonical" ? [onlyNumber(args[0]), args[1]] : [categoryOf(name), args[0]];
  if (category === undefined || reason === undefined) return undefined;
  const terms = reason.terms.map(({ param, plus }) => ({ param, plus: plus + (category << 16n) }));
  return { terms, literals: name === "canonical" ? [...(args[0]?.literals ?? []), ...reason.literals] : reason.literals };
}

const U64 = 2n ** 64n;
const ARITHMETIC: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  Add: (a, b) => a + b,
  Mul: (a, b) => a * b,
  BitOr: (a, b) => a | b,
  Shl: (a, b) => (b < 64n ? (a << b) % U64 : 0n),
};

/** The result of arithmetic on two numbers that are known; only what composes an abort code. */
export function computed(operation: string, a: Value, b: Value): Value {
  const [left, right, of] = [onlyNumber(a), onlyNumber(b), ARITHMETIC[operation]];
  if (left === undefined || right === undefined || of === undefined) return undefined;
  const plus = of(left, right);
  if (plus >= U64) return undefined;
  return { terms: [{ param: undefined, plus }], literals: [...(a?.literals ?? []), ...(b?.literals ?? [])] };
}

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
