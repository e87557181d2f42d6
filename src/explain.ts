/**
 * What an abort code or a node's message means, in any runtime: no Node.js, no database.
 *
 * @module
 */
export type { AbortCategory } from "./abi/abort/abort-codes.ts";
export type { StatusKind, VmStatus } from "./abi/vm-status/vm-status.ts";
export { type AbortExplanation, explainAbort } from "./library/explain-abort.ts";
export type { ModuleSource } from "./library/module-source.ts";
export { DecodeError } from "./move/decode-error.ts";
