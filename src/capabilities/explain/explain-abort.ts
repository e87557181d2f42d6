import { bytesOf, decodeModule, type ModuleSource } from "../../core/abi/decode.ts";
import type { ErrorCodeAbi, ModuleAbi } from "../../core/abi/model.ts";
import { isSameModule, type ModuleId } from "../../core/move/module-id.ts";
import { type AbortCategory, abortCodeParts, type CompilerAbort, compilerAbort, findError } from "../effects/abort-codes.ts";
import { type AbortMessage, parseAbortCode, parseAbortMessage } from "./abort-message.ts";
import { findVmStatusIn, type VmStatus } from "./vm-status.ts";

/** What a failed transaction's message means. */
export type AbortExplanation =
  | {
      readonly kind: "abort";
      readonly code: bigint;
      /** The low 16 bits: the module's own number of the reason. */
      readonly reason: bigint;
      /** A convention of the standard library; undefined if the code does not follow it. */
      readonly category: AbortCategory | undefined;
      /** The compiler's own abort, which is no error of the module; undefined for any other code. */
      readonly compilerAbort: CompilerAbort | undefined;
      readonly module: ModuleId | undefined;
      /** The name of the error, if the message has it. Nodes show a wrong one for reasons above 4095. */
      readonly reportedName: string | undefined;
      /** What the module says of the code; undefined if the module was not given or does not say. */
      readonly error: ErrorCodeAbi | undefined;
    }
  | { readonly kind: "status"; readonly status: VmStatus };

/**
 * Explains what a node, an SDK, a tool or a test printed, or an abort code (`0x1::coin 0x10006`), by the one of `modules` that
 * aborted. Undefined without an abort or a VM status. @throws DecodeError when that module cannot be decoded
 */
export function explainAbort(message: string, modules: Iterable<ModuleSource | ModuleAbi> = []): AbortExplanation | undefined {
  const abort = findAbort(message);
  if (abort === undefined) {
    const status = findVmStatusIn(message);
    return status === undefined ? undefined : { kind: "status", status };
  }
  for (const module of modules) {
    const abi = "functions" in module ? module : decodeModule(bytesOf(module)).abi;
    if (abort.module !== undefined && isSameModule(abi, abort.module)) return explainWith(abort, abi.errors);
  }
  return explainWith(abort, []);
}

/** The abort that a message reports; undefined if it reports none. */
export function findAbort(message: string): AbortMessage | undefined {
  const code = parseAbortCode(message.trim());
  return code === undefined ? parseAbortMessage(message) : { code };
}

export function explainWith({ code, module, name }: AbortMessage, errors: readonly ErrorCodeAbi[]): AbortExplanation {
  return {
    kind: "abort",
    code,
    ...abortCodeParts(code),
    compilerAbort: compilerAbort(code),
    module,
    reportedName: name,
    error: findError(errors, code)?.error,
  };
}
