import type { ErrorCodeAbi } from "../model.ts";

/** An error that an abort code stands for. `byNode` is what nodes show for it when that is another one. */
export type FoundError = { readonly error: ErrorCodeAbi; readonly byNode: ErrorCodeAbi | undefined };

/**
 * The error that a code stands for in a module's error map: the code itself where the map has it, else its low 16 bits,
 * which hold the reason. Nodes look for the low 12 bits first, and so name a wrong error for reasons above 4095.
 * Source: `extract_abort_info` in aptos-core `types/src/vm/module_metadata.rs`.
 */
export function findError(errors: readonly ErrorCodeAbi[], code: bigint): FoundError | undefined {
  const at = (wanted: bigint): ErrorCodeAbi | undefined => errors.find((error) => error.code === wanted);
  const byNode = at(code & 0xfffn) ?? at(code);
  const error = at(code) ?? at(code & 0xffffn) ?? byNode;
  return error === undefined ? undefined : { error, byNode: byNode === error ? undefined : byNode };
}
