import { categoryOf } from "./abort-codes.ts";

/** A number, or a number that is added to one of the function's parameters. */
export type Term = { readonly param: number | undefined; readonly plus: bigint };

/** What a value can be, and the places of the literals that it comes from; undefined if it can be anything. */
export type Value = { readonly terms: readonly Term[]; readonly literals: readonly number[] } | undefined;

/** Numbers that a value is followed through; real code joins two or three. */
const TERMS_MAX = 8;
const NO_LITERALS: readonly number[] = [];
/** What there is before one value is joined to another. */
export const NOTHING: Value = { terms: [], literals: NO_LITERALS };
/** A function has at most 255 parameters. */
const PARAMETERS = Array.from({ length: 256 }, (_, param): Value => ({ terms: [{ param, plus: 0n }], literals: NO_LITERALS }));

export function literalAt(place: number, plus: bigint | undefined): Value {
  return plus === undefined ? undefined : { terms: [{ param: undefined, plus }], literals: [place] };
}

export function parameter(param: number): Value {
  return PARAMETERS[param];
}

/** Either of two values, as where two branches meet. */
export function join(a: Value, b: Value): Value {
  if (a === b || a === NOTHING) return b;
  if (a === undefined || b === undefined) return undefined;
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
  let found = NOTHING;
  for (const { param, plus } of value.terms) {
    const given: Value = param === undefined ? { terms: [{ param, plus: 0n }], literals: NO_LITERALS } : args[param];
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
type Operation = (a: bigint, b: bigint) => bigint;
/** Operations of which the result is followed: only what composes an abort code. */
export const arithmetic: Readonly<Record<string, Operation>> = {
  Add: (a, b) => a + b,
  Mul: (a, b) => a * b,
  BitOr: (a, b) => a | b,
  Shl: (a, b) => (b < 64n ? (a << b) % U64 : 0n),
};

/** The result of an operation on two numbers that are known. */
export function computed(operation: Operation, a: Value, b: Value): Value {
  const [left, right] = [onlyNumber(a), onlyNumber(b)];
  const plus = left === undefined || right === undefined ? U64 : operation(left, right);
  if (plus >= U64) return undefined;
  return { terms: [{ param: undefined, plus }], literals: [...(a?.literals ?? []), ...(b?.literals ?? [])] };
}
