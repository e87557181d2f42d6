import { memoize } from "../../core/base/async.ts";
import type { ModuleArchive } from "../../core/db/archive/read/module-archive.ts";
import type { Address } from "../../core/move/address.ts";
import { moduleNamed, moduleNameOf } from "../../core/move/module-id.ts";
import { type ModuleUses, usesOf } from "./direct-uses.ts";

/** How own modules use an item of another: they name it themselves, or what they call does, or neither. */
export type Use = "directly" | "through others" | "not";

/** What own modules use of others: modules, and functions and structs as `0x1::coin::Coin`. */
export type OwnUses = {
  /** The own modules themselves: `0xcafe::market`. */
  readonly own: readonly string[];
  readonly modules: readonly string[];
  readonly functions: readonly string[];
  readonly structs: readonly string[];
};

/** What own modules depend on, at any depth. */
export type Reach = {
  readonly own: ReadonlySet<string>;
  /** Names as `0x1::coin`. */
  readonly modules: ReadonlySet<string>;
  /** Of own modules: dependencies of which the archive holds nothing, or nothing that can be read. */
  readonly unknown: ReadonlySet<string>;
  /** The functions that are called, by full names. */
  readonly functions: ReadonlySet<string>;
  /** How an item (`0x1::coin::withdraw`) is used, as far as that is known. */
  readonly useOf: (kind: "function" | "struct", name: string) => Use;
  /** The calls by which a function is reached, from the first that is named; empty if it is not, or is named itself. */
  readonly chainTo: (name: string) => readonly string[];
};

/** What a module (`0x1::coin`) uses at a ledger version; undefined if the archive does not hold it, or it cannot be read. */
export type UsesAt = (module: string, version: bigint) => Promise<ModuleUses | undefined>;

/** Answers that are kept. */
const MOST = 10_000;

/** Prepares reading what modules use, by the newest snapshot up to a version that covers their account. */
export function usesAtVersions(archive: ModuleArchive): UsesAt {
  const covering = memoize(
    MOST,
    (address: Address, version: bigint) => `${address} ${version}`,
    (address, version) => archive.newestCovering(address, version + 1n),
  );
  return async (module, version) => {
    const id = moduleNamed(module);
    const at = await covering(id.address, version);
    const stored = at === undefined ? undefined : await archive.findModule(id, at);
    return stored && usesOf(archive, stored);
  };
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
    for (const item of [...(found?.functions ?? []), ...(found?.structs ?? [])])
      if (!own.has(moduleNameOf(item))) modules.add(moduleNameOf(item));
  }
  for (const id of own) modules.delete(id);
  const functions = await calledFrom(uses.functions, async (id) => read.get(id));
  const structs = new Set<string>([...uses.structs, ...[...read.values()].flatMap((found) => [...(found?.structs ?? [])])]);
  const unknown = new Set([...modules].filter((id) => read.get(id) === undefined));
  const direct = { function: new Set(uses.functions), struct: new Set(uses.structs) };
  const reached = { function: functions, struct: structs };
  return {
    own,
    modules,
    unknown,
    functions: new Set(functions.keys()),
    useOf: (kind, name) => (direct[kind].has(name) ? "directly" : reached[kind].has(name) || unknown.size > 0 ? "through others" : "not"),
    chainTo: (name) => chainIn(functions, name),
  };
}

/**
 * What one function reaches at a ledger version: the functions that it calls, at any depth, through all modules that the archive
 * holds. Other than for own modules, what a dependency uses besides does not count.
 */
export async function reachOfFunction(usesAt: UsesAt, name: string, version: bigint): Promise<Reach> {
  const read = memoize(MOST, String, (id: string) => usesAt(id, version));
  const functions = await calledFrom([name], read);
  return {
    own: new Set(),
    modules: new Set(Array.from(functions.keys(), moduleNameOf)),
    unknown: new Set(),
    functions: new Set(functions.keys()),
    useOf: (kind, item) => (item === name ? "directly" : kind === "function" && functions.has(item) ? "through others" : "not"),
    chainTo: (item) => chainIn(functions, item),
  };
}

/** The functions that some call at any depth, each with the one that called it first; those named have none. */
async function calledFrom(
  names: readonly string[],
  usesOf: (module: string) => Promise<ModuleUses | undefined>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const functions = new Map<string, string | undefined>(names.map((name) => [name, undefined]));
  for (const name of functions.keys()) {
    const uses = await usesOf(moduleNameOf(name));
    for (const next of uses?.calls.get(name) ?? []) if (!functions.has(next)) functions.set(next, name);
  }
  return functions;
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
