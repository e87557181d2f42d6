import type { ModuleArchive, StandingCode } from "../../archive/read/module-archive.ts";
import { formatModuleId, isSameModule } from "../../move/module-id.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { FunctionName } from "./call-graph.ts";
import { type CallersByCallee, callersIn } from "./callers-in.ts";

/** Who calls into a module: by the name of the called function, its own module's functions first; and who may, but cannot be read. */
export type CallsInto = { readonly callers: ReadonlyMap<string, readonly FunctionName[]>; readonly unreadable: readonly ModuleId[] };

export type CallReader = (module: ModuleId) => Promise<CallsInto>;

/** Modules of a snapshot beyond which only those of the graph are read, one after the other. */
const MODULES_MAX = 2_000;

/**
 * Opens the calls of a snapshot: all that are stored at once, and from the bytecode those of modules of which none are. Where the snapshot
 * has very many modules, or one that cannot be read, the bytecode of the modules that depend on the one that is asked about.
 */
export async function openCalls(archive: ModuleArchive, version: bigint): Promise<CallReader> {
  const index = await readIndex(archive, version);
  if (index === undefined) return walkDependents(archive, version);
  return async (module) => {
    const callers = new Map<string, FunctionName[]>();
    const into = index.get(formatModuleId(module)) ?? [];
    for (const isOwn of [true, false]) {
      for (const { caller, callees } of into)
        if (isSameModule(caller.module, module) === isOwn) for (const name of callees) addCaller(callers, name, caller);
    }
    return { callers, unreadable: [] };
  };
}

/** By the module that is called into, the functions that do and the names that they call: turned round only where it is asked for. */
type Index = Map<string, CallsOfFunction[]>;
type CallsOfFunction = { readonly caller: FunctionName; readonly callees: readonly string[] };

async function readIndex(archive: ModuleArchive, version: bigint): Promise<Index | undefined> {
  const standing = await archive.callsAt(version, MODULES_MAX);
  if (standing === undefined) return undefined;
  const numbered = new Map(
    Array.from(standing.called, ([number, id]) => [number, { id: formatModuleId(id), into: [] as CallsOfFunction[] }]),
  );
  const index: Index = new Map(Array.from(numbered.values(), ({ id, into }) => [id, into]));
  for (const { address, name, bytecode, calls } of standing.modules) {
    const module = { address, name };
    for (const { caller, callees } of calls ?? []) {
      const fn = { module, name: caller };
      for (const [number, names] of callees) numbered.get(number)?.into.push({ caller: fn, callees: names });
    }
    if (calls !== undefined) continue;
    const read = callersIn(await archive.bytecode({ bytecode }));
    if (read === undefined) return undefined;
    for (const [callee, callers] of read) {
      const end = callee.lastIndexOf("::");
      const into = index.get(callee.slice(0, end)) ?? [];
      index.set(callee.slice(0, end), into);
      for (const caller of callers) into.push({ caller: { module, name: caller }, callees: [callee.slice(end + 2)] });
    }
  }
  return index;
}

function addCaller(into: Map<string, FunctionName[]>, callee: string, caller: FunctionName): void {
  const known = into.get(callee);
  if (known === undefined) into.set(callee, [caller]);
  else known.push(caller);
}

/** Reads the bytecode of a module and of those that depend on it, each once. */
function walkDependents(archive: ModuleArchive, version: bigint): CallReader {
  const codes = new Map<string, CallersByCallee | undefined>();
  const readCode = async (stored: StandingCode): Promise<CallersByCallee | undefined> => {
    if (!codes.has(stored.sha256)) codes.set(stored.sha256, callersIn(await archive.bytecode(stored)));
    return codes.get(stored.sha256);
  };
  return async (module) => {
    const prefix = `${formatModuleId(module)}::`;
    const callers = new Map<string, FunctionName[]>();
    const unreadable: ModuleId[] = [];
    for (const stored of await archive.around(module, version)) {
      const id = { address: stored.address, name: stored.name };
      const read = await readCode(stored);
      if (read === undefined) unreadable.push(id);
      for (const [callee, names] of read ?? []) {
        if (callee.startsWith(prefix)) for (const name of names) addCaller(callers, callee.slice(prefix.length), { module: id, name });
      }
    }
    return { callers, unreadable };
  };
}
