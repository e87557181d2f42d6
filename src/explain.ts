/**
 * What an abort code or a node's message means, in any runtime: no Node.js, no database.
 *
 * @module
 */
export type { AbortCategory } from "./core/abi/abort/abort-codes.ts";
export type { StatusKind, VmStatus } from "./core/abi/vm-status/vm-status.ts";
export { type AbortExplanation, explainAbort } from "./core/library/explain-abort.ts";
export type { ModuleSource } from "./core/library/module-source.ts";
export { DecodeError } from "./core/move/decode-error.ts";
