import { formatModuleId } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { ModuleArchive, StandingCode } from "../../store/read/module-archive.ts";
import { type Call, type Caller, type CallGraph, type FunctionName, formatFunction } from "./call-graph.ts";
import { type Near, readCallIndex } from "./call-index.ts";
import { type CallersByCallee, callersIn } from "./callers-in.ts";

/** How far callers are followed. */
export type CallerLimits = { readonly depth: number; readonly functions: number };

/**
 * Finds who calls functions of a module at a snapshot, level by level: the modules that depend on the module of a function
 * can call it, and so can its own. Calls are those that are stored, of all modules at once; in a snapshot of very many
 * modules they are read from the bytecode of those of the graph. Calls through function values are not visible.
 */
export async function findCallers(
  archive: ModuleArchive,
  version: bigint,
  targets: readonly FunctionName[],
  limits: CallerLimits,
): Promise<CallGraph> {
  const reader = new CallReader(archive, version);
  const functions = new Map<string, Caller>(targets.map((target) => [formatFunction(target), { ...target, depth: 0 }]));
  const calls: Call[] = [];
  const unreadable = new Map<string, ModuleId>();
  let level: readonly Caller[] = [...functions.values()];
  let isCut = false;
  for (let depth = 1; level.length > 0; depth++) {
    const next: Caller[] = [];
    for (const of of Map.groupBy(level, ({ module }) => formatModuleId(module)).values()) {
      const { module } = of[0] as Caller;
      for (const { id, read } of await reader.around(module)) {
        if (read === undefined) unreadable.set(formatModuleId(id), id);
        for (const callee of of) {
          for (const caller of read?.get(formatFunction(callee)) ?? []) {
            const key = formatFunction({ module: id, name: caller });
            const known = functions.get(key);
            if (known === undefined && (depth > limits.depth || functions.size >= limits.functions)) {
              isCut = true;
              continue;
            }
            const found = known ?? { module: id, name: caller, depth };
            if (known === undefined) {
              functions.set(key, found);
              next.push(found);
            }
            calls.push({ caller: found, callee });
          }
        }
      }
    }
    level = next;
  }
  return { functions: [...functions.values()], calls, unreadable: [...unreadable.values()], isCut };
}

/** Reads the calls of modules at a snapshot, each once. */
class CallReader {
  private readonly modules = new Map<string, readonly Near[]>();
  private readonly codes = new Map<string, CallersByCallee | undefined>();
  private index: ReturnType<typeof readCallIndex> | undefined;
  private readonly archive: ModuleArchive;
  private readonly version: bigint;

  constructor(archive: ModuleArchive, version: bigint) {
    this.archive = archive;
    this.version = version;
  }

  /** A module and those that depend on it. */
  async around(module: ModuleId): Promise<readonly Near[]> {
    const key = formatModuleId(module);
    const known = this.modules.get(key);
    if (known !== undefined) return known;
    this.index ??= readCallIndex(this.archive, this.version);
    const index = await this.index;
    if (index !== undefined) return index.get(key) ?? [];
    const found: Near[] = [];
    for (const stored of await this.archive.around(module, this.version)) {
      found.push({ id: { address: stored.address, name: stored.name }, read: await this.read(stored) });
    }
    this.modules.set(key, found);
    return found;
  }

  private async read(stored: StandingCode): Promise<CallersByCallee | undefined> {
    if (this.codes.has(stored.sha256)) return this.codes.get(stored.sha256);
    const read = callersIn(await this.archive.bytecode(stored));
    this.codes.set(stored.sha256, read);
    return read;
  }
}
