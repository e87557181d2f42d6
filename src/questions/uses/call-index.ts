import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StandingCode } from "../../archive/read/standing-code.ts";
import { memoize } from "../../base/memoize.ts";
import { compareModuleIds, formatItemId, formatModuleId, type ItemId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import type { Call } from "./call-graph.ts";
import { modulesWithoutCalls, readCalls } from "./call-queries.ts";
import { usesIn } from "./module-uses.ts";

/** Opens the calls of a snapshot: those that are stored, and from the bytecode those of modules of which none are. */
export function openCalls(archive: ModuleArchive, version: bigint) {
  const unreadable = new Map<string, ModuleId>();
  const usesOf = memoize(
    Number.POSITIVE_INFINITY,
    ({ sha256 }: StandingCode) => sha256,
    async (code) => usesIn(await archive.bytecode(code)),
  );
  return {
    /** Modules that may call what was asked about, but cannot be read. */
    unreadable,
    /** Who calls some functions, by the called function: functions of its own module first. */
    callersOf: async (functions: readonly ItemId[]): Promise<ReadonlyMap<string, readonly Call[]>> => {
      const calls: Call[] = (await readCalls(archive, functions, version)).map(({ place, caller, ...module }) => {
        return { caller: { module, name: caller }, callee: functions[place] as ItemId };
      });
      for (const code of await modulesWithoutCalls(archive, functions, version)) {
        const module = { address: code.address, name: code.name };
        const uses = await usesOf(code);
        if (uses === undefined) unreadable.set(formatModuleId(module), module);
        for (const callee of functions)
          for (const name of uses?.callers.get(formatItemId(callee)) ?? []) calls.push({ caller: { module, name }, callee });
      }
      const isForeign = ({ caller, callee }: Call): number => (isSameModule(caller.module, callee.module) ? 0 : 1);
      calls.sort((a, b) => isForeign(a) - isForeign(b) || compareModuleIds(a.caller.module, b.caller.module));
      return Map.groupBy(calls, ({ callee }) => formatItemId(callee));
    },
  };
}
