import type { FunctionHandle } from "../module/function-handles.ts";
import { type CompiledModule, readModule } from "../module/module.ts";

/** The functions that one function calls, or makes function values of, each once in the order in which it first does. */
export type Calls = {
  /** A function that the module defines. */
  readonly caller: FunctionHandle;
  readonly callees: readonly FunctionHandle[];
};

/** What the functions of a module call. Functions that call nothing are left out. */
export type ModuleCalls = { readonly module: CompiledModule; readonly calls: readonly Calls[] };

/**
 * Reads which functions a module's functions call, its own among them, directly or by making a function value of them. What is
 * called through a function value, and what natives call, is not in the bytecode. @throws DecodeError
 */
export function callsOf(bytes: Uint8Array): ModuleCalls {
  const module = readModule(bytes);
  const calls = module.functions.filter(({ callees }) => callees.length > 0).map(({ handle, callees }) => ({ caller: handle, callees }));
  return { module, calls };
}
