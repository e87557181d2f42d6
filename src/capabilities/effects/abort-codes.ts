import type { ErrorCodeAbi } from "../../core/abi/model.ts";

/** The category in the third byte of a canonical abort code: its name and meaning. */
export type AbortCategory = { readonly number: number; readonly name: string; readonly meaning: string };

/** The categories by their number, 1 to 13. Source: aptos-core `aptos-move/framework/move-stdlib/sources/error.move`. */
const CATEGORIES: readonly (readonly [name: string, meaning: string])[] = [
  ["INVALID_ARGUMENT", "an argument was wrong"],
  ["OUT_OF_RANGE", "a value, given or computed, was out of range"],
  ["INVALID_STATE", "the state did not allow it"],
  ["UNAUTHENTICATED", "the sender could not be authenticated"],
  ["PERMISSION_DENIED", "the sender may not do it"],
  ["NOT_FOUND", "something that was needed is not there"],
  ["ABORTED", "something else changed at the same time"],
  ["ALREADY_EXISTS", "what was to be made is there already"],
  ["RESOURCE_EXHAUSTED", "a quota, or the gas, is used up"],
  ["CANCELLED", "the client cancelled it"],
  ["INTERNAL", "an error inside the module"],
  ["NOT_IMPLEMENTED", "it is not implemented"],
  ["UNAVAILABLE", "it is not available now; trying again may help"],
];

/** The parts of an abort code. Their meaning is a convention of the standard library, which modules need not follow. */
export type AbortCodeParts = {
  /** The low 16 bits: the module's own number of the reason. */
  readonly reason: bigint;
  /** Undefined if the third byte is not a category, or bits above it are set. */
  readonly category: AbortCategory | undefined;
};

/** Splits an abort code as the standard library composes it: category × 65536 + reason. */
export function abortCodeParts(code: bigint): AbortCodeParts {
  const number = Number(code >> 16n);
  const [name, meaning] = CATEGORIES[number - 1] ?? [];
  return {
    reason: code & 0xffffn,
    category: name === undefined || meaning === undefined ? undefined : { number, name, meaning },
  };
}

/** The number of the category that a function of `0x1::error` gives to a code, by its name; undefined for another function. */
export function categoryOf(fn: string): bigint | undefined {
  const at = CATEGORIES.findIndex(([name]) => name.toLowerCase() === fn);
  return at < 0 ? undefined : BigInt(at + 1);
}

/** An abort that a compiler puts in by itself: no error of the module. */
export type CompilerAbort = { readonly name: string; readonly meaning: string };

/**
 * The codes by which compilers abort: five bytes that stand for it, the category INTERNAL, and a number. The recorded releases
 * hold these two and no other. Source: aptos-core `third_party/move/move-model/src/well_known.rs`.
 */
const COMPILER_CODES: ReadonlyMap<bigint, CompilerAbort> = new Map([
  [0xca26cbd9be0b0000n, { name: "UNSPECIFIED_ABORT_CODE", meaning: "an assertion or abort to which the source gives no code" }],
  [
    0xca26cbd9be0b0001n,
    {
      name: "INCOMPLETE_MATCH_ABORT_CODE",
      meaning: "no arm of a match fits the value, or it is of a variant without the field that is taken",
    },
  ],
]);

/** The compiler's own meaning of an abort code; undefined if it has none. */
export function compilerAbort(code: bigint): CompilerAbort | undefined {
  return COMPILER_CODES.get(code);
}

/**
 * The error that a module means by an abort code, undefined if it means none. `byNode` is the error that nodes show for the
 * code, if that is a different one: then what they print is wrong.
 */
export type FoundError = { readonly error: ErrorCodeAbi | undefined; readonly byNode: ErrorCodeAbi | undefined };

/**
 * Looks an abort code up: the whole code first, then the reason under a category of the standard library. Nodes look up the low
 * 12 bits first. Source: `extract_abort_info` in aptos-core `types/src/vm/module_metadata.rs`.
 */
export function findError(errors: readonly ErrorCodeAbi[], code: bigint): FoundError | undefined {
  const at = (wanted: bigint): ErrorCodeAbi | undefined => errors.find((error) => error.code === wanted);
  const byNode = at(code & 0xfffn) ?? at(code);
  const { reason, category } = abortCodeParts(code);
  const error = compilerAbort(code) !== undefined ? undefined : (at(code) ?? (category === undefined ? undefined : at(reason)));
  if (error === undefined && byNode === undefined) return undefined;
  return { error, byNode: byNode === error ? undefined : byNode };
}

/** A module's error map over a range of snapshots; `to` is null if it still holds. `errors` is undefined if they are unknown. */
export type ErrorMapSpan = { readonly from: bigint; readonly to: bigint | null; readonly errors: readonly ErrorCodeAbi[] | undefined };

/** The meaning of a code over a range of snapshots: an error, none in the map (null), or unknown (undefined). */
export type Meaning = { readonly from: bigint; readonly to: bigint | null; readonly error: ErrorCodeAbi | null | undefined };

/** The meanings of a code over time, oldest first. Consecutive ranges with the same meaning are merged. */
export function meaningsOf(code: bigint, spans: readonly ErrorMapSpan[]): Meaning[] {
  const meanings: Meaning[] = [];
  for (const { from, to, errors } of spans) {
    const error = errors === undefined ? undefined : (findError(errors, code)?.error ?? null);
    const last = meanings.at(-1);
    if (last !== undefined && isSame(last.error, error)) meanings[meanings.length - 1] = { ...last, to };
    else meanings.push({ from, to, error });
  }
  return meanings;
}

function isSame(a: Meaning["error"], b: Meaning["error"]): boolean {
  if (a === undefined || b === undefined || a === null || b === null) return a === b;
  return a.name === b.name && a.description === b.description;
}
