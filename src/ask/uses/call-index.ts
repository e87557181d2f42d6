import { formatModuleId } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { ModuleArchive } from "../../store/read/module-archive.ts";
import { type CallersByCallee, callersIn } from "./callers-in.ts";

/** A module that may call another; `read` is undefined where its bytecode cannot be read. */
export type Near = { readonly id: ModuleId; readonly read: CallersByCallee | undefined };

/** Modules of a snapshot beyond which only those of the graph are read, one after the other. */
const MODULES_MAX = 2_000;

/**
 * Who may call into each module of a snapshot, itself first: from the calls that are stored, all at once, and from the bytecode of modules
 * of which none is stored. Undefined where the snapshot has very many modules, or one that cannot be read: then the
 * modules of the graph have to be asked for one after the other.
 */
export async function readCallIndex(archive: ModuleArchive, version: bigint): Promise<ReadonlyMap<string, readonly Near[]> | undefined> {
  const standing = await archive.callsAt(version, MODULES_MAX);
  if (standing === undefined) return undefined;
  const reads = new Map<bigint, Map<string, string[]>>();
  for (const { bytecode, caller, module, callees } of standing.calls) {
    const read = reads.get(bytecode) ?? new Map<string, string[]>();
    reads.set(bytecode, read);
    const prefix = `${formatModuleId(module)}::`;
    for (const callee of callees) {
      const callers = read.get(prefix + callee);
      if (callers === undefined) read.set(prefix + callee, [caller]);
      else callers.push(caller);
    }
  }
  const index = new Map<string, Near[]>();
  for (const { address, name, bytecode } of standing.modules) {
    const read = reads.get(bytecode) ?? callersIn(await archive.bytecode({ bytecode }));
    if (read === undefined) return undefined;
    const id = { address, name };
    const own = formatModuleId(id);
    const called = new Set(Array.from(read.keys(), (callee) => callee.slice(0, callee.lastIndexOf("::"))));
    for (const module of called) {
      const near = index.get(module) ?? [];
      index.set(module, near);
      if (module === own) near.unshift({ id, read });
      else near.push({ id, read });
    }
  }
  return index;
}
