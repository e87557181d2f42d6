import type { ErrorCodeAbi } from "../model.ts";
import { abortCodeParts } from "./category.ts";
import { compilerAbort } from "./compiler-codes.ts";

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
