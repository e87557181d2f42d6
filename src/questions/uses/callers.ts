import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import { formatModuleId } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { type Call, type Caller, type CallGraph, type FunctionName, formatFunction } from "./call-graph.ts";
import { type CallsInto, openCalls } from "./call-index.ts";
import { type CompiledCalls, isCompiled, readCompiledCalls } from "./compiled-calls.ts";

/** How far callers are followed. */
export type CallerLimits = { readonly depth: number; readonly functions: number };

/**
 * Finds who calls functions of a module at a snapshot, level by level: the modules that depend on the module of a function
 * can call it, and so can its own. Calls are those that are stored, of all modules at once; in a snapshot of very many
 * modules they are read from the bytecode of those of the graph. Functions of vectors are instructions, which are looked for in
 * all code. Calls through function values are not visible.
 */
export async function findCallers(
  archive: ModuleArchive,
  version: bigint,
  targets: readonly FunctionName[],
  limits: CallerLimits,
): Promise<CallGraph> {
  const callsInto = await openCalls(archive, version);
  const known = new Map<string, CallsInto>();
  const functions = new Map<string, Caller>(targets.map((target) => [formatFunction(target), { ...target, depth: 0 }]));
  const calls: Call[] = [];
  let level: readonly Caller[] = [...functions.values()];
  let isCut = false;
  let compiled: CompiledCalls | undefined;
  for (let depth = 1; level.length > 0; depth++) {
    const next: Caller[] = [];
    for (const callee of level) {
      const module = formatModuleId(callee.module);
      const into = known.get(module) ?? (await callsInto(callee.module));
      known.set(module, into);
      if (isCompiled(callee)) compiled ??= await readCompiledCalls(archive, version);
      const direct = into.callers.get(callee.name) ?? [];
      const instead = isCompiled(callee) ? (compiled?.callers.get(callee.name) ?? []) : [];
      const all = new Map([...direct, ...instead].map((fn) => [formatFunction(fn), fn]));
      for (const fn of all.values()) {
        const key = formatFunction(fn);
        const seen = functions.get(key);
        if (seen === undefined && (depth > limits.depth || functions.size >= limits.functions)) {
          isCut = true;
          continue;
        }
        const caller = seen ?? { ...fn, depth };
        if (seen === undefined) {
          functions.set(key, caller);
          next.push(caller);
        }
        calls.push({ caller, callee });
      }
    }
    level = next;
  }
  const unreadable = new Map<string, ModuleId>(
    [...known.values(), ...(compiled === undefined ? [] : [compiled])].flatMap((into) =>
      into.unreadable.map((id) => [formatModuleId(id), id]),
    ),
  );
  return { functions: [...functions.values()], calls, unreadable: [...unreadable.values()], isCut };
}
