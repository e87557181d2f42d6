/**
 * What an abort code or a node's message means, in any runtime: no Node.js, no database.
 *
 * @module
 */
export type { AbortCategory } from "./capabilities/effects/abort-codes.ts";
export { type AbortExplanation, explainAbort } from "./capabilities/explain/explain-abort.ts";
export type { StatusKind, VmStatus } from "./capabilities/explain/vm-status.ts";
export type { ModuleSource } from "./core/abi/decode.ts";
export { DecodeError } from "./core/move/decode-error.ts";
