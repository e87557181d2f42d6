import type { ErrorCodeAbi } from "../model.ts";

/** The error of an abort code. `byNode` is the error that nodes show for the code, if that is a different one. */
export type FoundError = { readonly error: ErrorCodeAbi; readonly byNode: ErrorCodeAbi | undefined };

/**
 * Looks an abort code up in a module's error map: the whole code first, then its low 16 bits, which hold the reason. Nodes
 * look up the low 12 bits first, and so show a wrong error for reasons above 4095.
 * Source: `extract_abort_info` in aptos-core `types/src/vm/module_metadata.rs`.
 */
export function findError(errors: readonly ErrorCodeAbi[], code: bigint): FoundError | undefined {
  const at = (wanted: bigint): ErrorCodeAbi | undefined => errors.find((error) => error.code === wanted);
  const byNode = at(code & 0xfffn) ?? at(code);
  const error = at(code) ?? at(code & 0xffffn) ?? byNode;
  return error === undefined ? undefined : { error, byNode: byNode === error ? undefined : byNode };
}
