import { memoize } from "../../../core/base/async.ts";
import { chunks } from "../../../core/base/chunks.ts";
import type { ModuleArchive } from "../../../core/db/archive/read/module-archive.ts";
import { ifDecodable } from "../../../core/move/decode-error.ts";
import { parseModule } from "../../../core/move/module/module.ts";
import { compareModuleIds, formatModuleId, type ModuleId, moduleNamed } from "../../../core/move/module-id.ts";
import { referring } from "../../uses/dependents.ts";

/** A module that refers to an item, and its functions that call it; undefined of one that cannot be read, and may use anything. */
export type Referrer = { readonly of: Dependent; readonly functions: readonly string[] | undefined };

type Dependent = ModuleId & { readonly bytecode: bigint };

/** Who refers to items of a module, by `function 0x1::coin::withdraw`, and who cannot be read. */
type Known = { readonly byItem: Map<string, Referrer[]>; readonly unreadable: Referrer[] };

/** Bytecodes that are read at once. */
const READ_AT_ONCE = 100;

/**
 * Finds who refers to items of modules at a snapshot, in the order of accounts and names. Who refers to several of the modules
 * `expected` is read once. The framework's have all modules as dependents: of each only what it uses of these modules is kept.
 */
export function referrersAt(
  archive: ModuleArchive,
  version: bigint,
  expected: readonly ModuleId[],
  bytesOf: (id: ModuleId, stored: () => Uint8Array) => Promise<Uint8Array | undefined>,
): (module: ModuleId, kind: "function" | "struct", item: string) => Promise<readonly Referrer[]> {
  const lists = new Map<string, readonly string[]>();
  /** Names are few, and those of functions that call the same are mostly the same. */
  const kept = (names: readonly string[]): readonly string[] => {
    const key = names.join(" ");
    const known = lists.get(key) ?? names;
    lists.set(key, known);
    return known;
  };
  const read = async (modules: readonly ModuleId[]): Promise<ReadonlyMap<string, Known>> => {
    const known = new Map(modules.map((module): [string, Known] => [formatModuleId(module), { byItem: new Map(), unreadable: [] }]));
    const dependents = new Map<string, { readonly of: Dependent; readonly modules: string[] }>();
    for (const name of known.keys())
      for (const { sha256: _, ...of } of await referring(archive, moduleNamed(name), version)) {
        const id = formatModuleId(of);
        const before = dependents.get(id);
        if (before === undefined) dependents.set(id, { of, modules: [name] });
        else before.modules.push(name);
      }
    const sorted = [...dependents.values()].sort((a, b) => compareModuleIds(a.of, b.of));
    dependents.clear();
    for (const some of chunks(sorted, READ_AT_ONCE)) {
      const stored = await archive.bytecodes(some.map(({ of }) => of.bytecode));
      for (const { of, modules } of some) {
        const bytes = await bytesOf(of, () => stored(of.bytecode));
        const uses = bytes && usesOf(bytes, modules);
        for (const name of modules) if (uses === undefined) known.get(name)?.unreadable.push({ of, functions: undefined });
        for (const { name, item, functions } of uses ?? []) {
          const byItem = known.get(name)?.byItem;
          const referrer = { of, functions: kept(functions) };
          if (byItem?.get(item)?.push(referrer) === undefined) byItem?.set(item, [referrer]);
        }
      }
    }
    return known;
  };
  const names = new Set(expected.map(formatModuleId));
  const readFor = memoize(
    Number.POSITIVE_INFINITY,
    (module: ModuleId) => (names.has(formatModuleId(module)) ? "" : formatModuleId(module)),
    (module) => read(names.has(formatModuleId(module)) ? expected : [module]),
  );
  return async (module, kind, item) => {
    const { byItem, unreadable } = (await readFor(module)).get(formatModuleId(module)) as Known;
    const found = byItem.get(`${kind} ${item}`) ?? [];
    return unreadable.length === 0 ? found : [...found, ...unreadable].sort((a, b) => compareModuleIds(a.of, b.of));
  };
}

type Use = { readonly name: string; readonly item: string; readonly functions: string[] };

/** What a module names of some others, with its functions that call it; undefined where its bytecode cannot be read. */
function usesOf(bytes: Uint8Array, names: readonly string[]): Use[] | undefined {
  const module = ifDecodable(() => parseModule(bytes));
  if (module === undefined) return undefined;
  const uses = new Map<object, Use>();
  const items = new Map<string, Use>();
  const add = (handle: object, of: ModuleId, kind: string, itemName: string): void => {
    const name = formatModuleId(of);
    if (!names.includes(name)) return;
    const item = `${kind} ${name}::${itemName}`;
    const use = items.get(item) ?? { name, item, functions: [] };
    items.set(item, use);
    uses.set(handle, use);
  };
  for (const handle of module.functionHandles) add(handle, handle.module, "function", handle.name);
  for (const handle of module.structHandles) add(handle, handle.plain.module, "struct", handle.plain.name);
  for (const { handle, callees } of module.functions)
    for (const callee of callees) {
      const use = uses.get(callee);
      if (use !== undefined && use.functions.at(-1) !== handle.name) use.functions.push(handle.name);
    }
  return [...items.values()];
}
