import type { ModuleArchive, StandingCode } from "../../archive/read/module-archive.ts";
import { compareModuleIds, formatModuleId, isSameModule } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import { type Call, type FunctionName, formatFunction } from "./call-graph.ts";
import { callersIn } from "./callers-in.ts";

/** Who calls some functions, by the called function: functions of its own module first. */
export type CallersByCallee = ReadonlyMap<string, readonly FunctionName[]>;

export type CallReader = {
  readonly callersOf: (functions: readonly FunctionName[]) => Promise<CallersByCallee>;
  /** Modules that may call what was asked about, but cannot be read. */
  readonly unreadable: ReadonlyMap<string, ModuleId>;
};

/** Opens the calls of a snapshot: those that are stored, and from the bytecode those of modules of which none are. */
export function openCalls(archive: ModuleArchive, version: bigint): CallReader {
  const unreadable = new Map<string, ModuleId>();
  const codes = new Map<string, ReturnType<typeof callersIn>>();
  const callersInCode = async (stored: StandingCode): Promise<NonNullable<ReturnType<typeof callersIn>>> => {
    if (!codes.has(stored.sha256)) codes.set(stored.sha256, callersIn(await archive.bytecode(stored)));
    const read = codes.get(stored.sha256);
    if (read === undefined) unreadable.set(formatModuleId(stored), { address: stored.address, name: stored.name });
    return read ?? new Map();
  };
  return {
    unreadable,
    callersOf: async (functions) => {
      const calls: Call[] = (await archive.callsOf(functions, version)).map(({ place, caller, ...module }) => {
        return { caller: { module, name: caller }, callee: functions[place] as FunctionName };
      });
      const stored = calls.length;
      for (const code of await archive.withoutCalls(functions, version)) {
        const { address, name } = code;
        const callers = await callersInCode(code);
        for (const callee of functions)
          for (const caller of callers.get(formatFunction(callee)) ?? [])
            calls.push({ caller: { module: { address, name }, name: caller }, callee });
      }
      if (calls.length > stored) calls.sort((a, b) => compareModuleIds(a.caller.module, b.caller.module));
      return callersByCallee(calls);
    },
  };
}

function callersByCallee(calls: readonly Call[]): Map<string, FunctionName[]> {
  const callers = new Map<string, FunctionName[]>();
  for (const isOwn of [true, false])
    for (const { caller, callee } of calls) {
      if (isSameModule(caller.module, callee.module) !== isOwn) continue;
      const key = formatFunction(callee);
      const known = callers.get(key);
      if (known === undefined) callers.set(key, [caller]);
      else known.push(caller);
    }
  return callers;
}
