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
