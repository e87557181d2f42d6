import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { memoize } from "../../base/async.ts";
import type { Address } from "../../move/address.ts";
import { ifDecodable } from "../../move/decode-error.ts";
import { parseModule } from "../../move/module/module.ts";
import { moduleNamed, moduleNameOf } from "../../move/module-id.ts";
import type { AlertFinding, OwnUses } from "../../work/alerts/watches.ts";
import { callsIn, foreignItems } from "../uses/direct-uses.ts";

/** How own modules use an item of another: they name it themselves, or what they call does, or neither. */
export type Use = NonNullable<AlertFinding["use"]>;

/** What own modules depend on, at any depth. */
export type Reach = {
  readonly own: ReadonlySet<string>;
  /** Names as `0x1::coin`. */
  readonly modules: ReadonlySet<string>;
  /** Dependencies of which the archive holds nothing, or nothing that can be read: what they use of others is not known. */
  readonly unknown: ReadonlySet<string>;
  /** The functions that are called, by full names. */
  readonly functions: ReadonlySet<string>;
  /** How an item (`0x1::coin::withdraw`) is used, as far as that is known. */
  readonly useOf: (kind: "function" | "struct", name: string) => Use;
  /** The calls by which a function is reached, from the first that is named; empty if it is not, or is named itself. */
  readonly chainTo: (name: string) => readonly string[];
};

/** What one module uses: per function of its own the functions that it calls, and the structs that any of it names. */
type ModuleUses = {
  readonly modules: readonly string[];
  readonly calls: ReadonlyMap<string, readonly string[]>;
  readonly structs: readonly string[];
};

/** What a module (`0x1::coin`) uses at a ledger version; undefined if the archive does not hold it, or it cannot be read. */
export type UsesAt = (module: string, version: bigint) => Promise<ModuleUses | undefined>;

/** Answers that are kept, of some kilobytes each. */
const MOST = 10_000;

/** Prepares reading what modules use, each bytecode once for all who ask. */
export function usesReader(archive: ModuleArchive): UsesAt {
  const covering = memoize(
    MOST,
    (address: Address, version: bigint) => `${address} ${version}`,
    (address, version) => archive.newestCovering(address, version + 1n),
  );
  const usesOf = memoize(
    MOST,
    ({ sha256 }: StoredModule) => sha256,
    async (stored) => readUses(await archive.bytecode(stored)),
  );
  return memoize(
    MOST,
    (module, version) => `${module} ${version}`,
    async (module, version) => {
      const id = moduleNamed(module);
      const at = await covering(id.address, version);
      const stored = at === undefined ? undefined : await archive.findModule(id, at);
      return stored === undefined ? undefined : await usesOf(stored);
    },
  );
}

/**
 * Follows what own modules use through their dependencies' bytecode, as of a ledger version. Functions are followed one by one;
 * structs that a dependency names anywhere count. Behind one that cannot be read, everything does.
 */
export async function reachOf(usesAt: UsesAt, uses: OwnUses, version: bigint): Promise<Reach> {
  const own = new Set(uses.own);
  const read = new Map<string, ModuleUses | undefined>();
  const modules = new Set<string>(uses.modules);
  for (const id of modules) {
    if (own.has(id)) continue;
    const found = await usesAt(id, version);
    read.set(id, found);
    // A set that grows while it is walked is walked to its end.
    for (const next of found?.modules ?? []) if (!own.has(next)) modules.add(next);
  }
  for (const id of own) modules.delete(id);
  const functions = new Map<string, string | undefined>(uses.functions.map((name) => [name, undefined]));
  for (const name of functions.keys()) {
    for (const next of read.get(moduleNameOf(name))?.calls.get(name) ?? []) if (!functions.has(next)) functions.set(next, name);
  }
  const structs = new Set<string>(uses.structs);
  for (const found of read.values()) for (const name of found?.structs ?? []) structs.add(name);
  const unknown = new Set([...modules].filter((id) => read.get(id) === undefined));
  const direct = { function: new Set(uses.functions), struct: new Set(uses.structs) };
  const reached = { function: functions, struct: structs };
  return {
    own,
    modules,
    unknown,
    functions: new Set(functions.keys()),
    useOf: (kind, name) => {
      if (direct[kind].has(name)) return "directly";
      return reached[kind].has(name) || unknown.size > 0 ? "through others" : "not";
    },
    chainTo: (name) => chainIn(functions, name),
  };
}

/**
 * What one function reaches at a ledger version: the functions that it calls, at any depth, through all modules that the archive
 * holds. Other than for own modules, what a dependency uses besides does not count.
 */
export async function reachOfFunction(usesAt: UsesAt, name: string, version: bigint): Promise<Reach> {
  const read = new Map<string, ModuleUses | undefined>();
  const functions = new Map<string, string | undefined>([[name, undefined]]);
  for (const fn of functions.keys()) {
    const id = moduleNameOf(fn);
    if (!read.has(id)) read.set(id, await usesAt(id, version));
    for (const next of read.get(id)?.calls.get(fn) ?? []) if (!functions.has(next)) functions.set(next, fn);
  }
  return {
    own: new Set(),
    modules: new Set(read.keys()),
    unknown: new Set([...read].filter(([, uses]) => uses === undefined).map(([id]) => id)),
    functions: new Set(functions.keys()),
    useOf: (kind, item) => (item === name ? "directly" : kind === "function" && functions.has(item) ? "through others" : "not"),
    chainTo: (item) => chainIn(functions, item),
  };
}

/** What is reached before and after a change: who stops calling a function, or begins to, has a finding of its own. */
export function reachedInBoth(before: Reach | undefined, after: Reach | undefined): Reach | undefined {
  if (before === undefined || after === undefined) return before;
  const useOf: Reach["useOf"] = (kind, name) => {
    const use = before.useOf(kind, name);
    return use === "through others" && kind === "function" && after.useOf(kind, name) === "not" ? "not" : use;
  };
  return { ...before, useOf };
}

/** Back from a function over those that called it first. */
function chainIn(callers: ReadonlyMap<string, string | undefined>, name: string): string[] {
  const chain: string[] = [];
  for (let fn: string | undefined = callers.get(name) === undefined ? undefined : name; fn !== undefined; fn = callers.get(fn))
    chain.unshift(fn);
  return chain;
}

/** What a module uses, from its bytecode; undefined where that cannot be read. */
export function readUses(bytes: Uint8Array): ModuleUses | undefined {
  return ifDecodable(() => {
    const module = parseModule(bytes);
    const { functions, structs } = foreignItems(module);
    return { modules: [...new Set([...functions, ...structs].map(moduleNameOf))], calls: callsIn(module), structs: [...structs] };
  });
}
