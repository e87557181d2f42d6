/** An abort that a compiler puts in by itself: no error of the module. */
export type CompilerAbort = { readonly name: string; readonly meaning: string };

/**
 * The codes by which compilers abort: five bytes that stand for it, the category INTERNAL, and a number. The recorded releases
 * hold these two and no other. Source: aptos-core `third_party/move/move-model/src/well_known.rs`.
 */
const CODES: ReadonlyMap<bigint, CompilerAbort> = new Map([
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
  return CODES.get(code);
}
