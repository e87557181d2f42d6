import { changeText } from "../../abi/compare/behaviour-words.ts";
import { differenceOf, type ModuleDifference } from "../../abi/compare/difference.ts";
import { isBehaviour } from "../../abi/compare/rules/rules.ts";
import { itemsOf } from "../../abi/compare/usage.ts";
import { isExposed } from "../../abi/model.ts";
import { abiOf, loadContent } from "../../archive/content/stored-content.ts";
import type { ModuleArchive } from "../../archive/read/module-archive.ts";
import type { StoredModule } from "../../archive/read/module-queries.ts";
import { memoize } from "../../base/async.ts";
import { formatItemId, formatModuleId, itemNameOf, type ModuleId, moduleNamed, moduleNameOf } from "../../move/module-id.ts";
import { findCallers } from "../uses/callers.ts";
import { type ModuleUses, usesIn, usesReader } from "../uses/direct-uses.ts";
import { differsBetween, modulesOf } from "./reached-effects.ts";

/** A function that others can call, whose own instructions are the same, and that calls, through others, what another module changed. */
export type CarriedChange = {
  /** From that function (`0x1::coin::withdraw`) to the one that changed. */
  readonly chain: readonly string[];
  /** What the one at the end does now: `no longer aborts with 0x1; aborts with 0x2`. */
  readonly what: string;
};

/** Changes that are carried into other modules, the shortest chains first; and whether there are more. */
export type Carried = { readonly changes: readonly CarriedChange[]; readonly isCut: boolean };

/** What changed functions do, by their names; `effects` if only that is other, not how often or by which numbers. */
type ChangedFunction = { readonly what: string; readonly effects: readonly string[] | undefined };
type Changed = ReadonlyMap<string, ChangedFunction>;
type CallPair = readonly [caller: string, callee: string];
type Modules = Pick<ModuleArchive, "contents" | "standingAmong">;

/** Functions that are followed from those that changed, and modules that are followed from one. */
const FUNCTIONS_MAX = 2_000;
const MODULES_MAX = 500;
/** Modules whose exposed functions are looked up at once. */
const OPENED_AT_ONCE = 50;
const CHANGES_MAX = 500;

/**
 * What the changes of these modules carry into others of the same snapshot. `build` has the bytecode of modules, by their names, that
 * are to stand in place of the snapshot's. What does the same in all modules as at the snapshot `from` is left out.
 */
export async function carriedFrom(
  archive: ModuleArchive,
  version: bigint,
  differences: readonly ModuleDifference[],
  { from, build = new Map() }: { readonly from?: bigint; readonly build?: ReadonlyMap<string, Uint8Array> } = {},
): Promise<Carried> {
  const changed = changedIn(differences);
  const ownCalls = [...build.values()].flatMap((bytes) => callPairs(usesIn(bytes)));
  const names = [...changed.keys(), ...chainsTo(changed, ownCalls).keys()];
  const targets = names.map((fn) => ({ module: moduleNamed(moduleNameOf(fn)), name: itemNameOf(fn) }));
  if (targets.length === 0) return { changes: [], isCut: false };
  const graph = await findCallers(archive, version, targets, { depth: FUNCTIONS_MAX, functions: FUNCTIONS_MAX + targets.length });
  const others = graph.calls.filter(({ caller }) => !build.has(formatModuleId(caller.module)));
  const chains = chainsTo(changed, [
    ...ownCalls,
    ...others.map(({ caller, callee }): CallPair => [formatItemId(caller), formatItemId(callee)]),
  ]);
  return changesAlong(archive, { from, to: version }, chains, changed, graph.isCut);
}

/** What functions of one module do otherwise at a version than at another, since modules that they call changed. */
export async function carriedInto(archive: ModuleArchive, module: ModuleId, from: bigint, to: bigint): Promise<Carried> {
  const calls: CallPair[] = [];
  const [changed, itself] = [new Map<string, ChangedFunction>(), new Map<string, ChangedFunction>()];
  const own = formatModuleId(module);
  const [now, before] = [modulesOf(archive, to), modulesOf(archive, from)];
  const [usesOf, changesIn] = [usesReader(archive), changesReader(archive)];
  const modules = new Set([own]);
  // A set that grows while it is walked is walked to its end.
  for (const id of modules) {
    const [was, is] = [await before(id), await now(id)];
    if (is === undefined) continue;
    for (const pair of callPairs(await usesOf(is))) {
      calls.push(pair);
      if (modules.size < MODULES_MAX) modules.add(moduleNameOf(pair[1]));
    }
    if (was === undefined || was.sha256 === is.sha256) continue;
    for (const [name, what] of await changesIn(was, is)) (id === own ? itself : changed).set(name, what);
  }
  const chains = new Map([...chainsTo(changed, calls)].filter(([name]) => name.startsWith(`${own}::`) && !itself.has(name)));
  return changesAlong(archive, { from, to }, chains, changed, modules.size >= MODULES_MAX);
}

/** Changes of modules that are kept of an archive: those of the framework are wanted for every comparison. */
const changesOf = new WeakMap<ModuleArchive, (was: StoredModule, is: StoredModule) => Promise<Changed>>();

function changesReader(archive: ModuleArchive): (was: StoredModule, is: StoredModule) => Promise<Changed> {
  const read =
    changesOf.get(archive) ??
    memoize(
      MODULES_MAX,
      (was, is) => `${was.bytecode} ${is.bytecode}`,
      (was: StoredModule, is: StoredModule) => changesBetween(archive, was, is),
    );
  changesOf.set(archive, read);
  return read;
}

async function changesBetween(archive: ModuleArchive, was: StoredModule, is: StoredModule): Promise<Changed> {
  const [before, after] = [loadContent(await archive.content(was), was.sha256), loadContent(await archive.content(is), is.sha256)];
  const difference = "module" in before && "module" in after ? differenceOf(before.module, after.module) : undefined;
  return changedIn(difference === undefined ? [] : [difference]);
}

function changedIn(differences: readonly ModuleDifference[]): Map<string, ChangedFunction> {
  return new Map(
    differences.flatMap(({ module, findings }) =>
      findings
        .filter(({ rule, item }) => isBehaviour(rule) && item.name !== null)
        .flatMap((finding) =>
          itemsOf(finding).map((item): [string, ChangedFunction] => [
            formatItemId({ module, name: item.name as string }),
            { what: changeText(finding), effects: finding.effects },
          ]),
        ),
    ),
  );
}

/** The shortest chain from each function to one that changed; of those that changed themselves none. */
function chainsTo(changed: Changed, calls: readonly CallPair[]): Map<string, readonly string[]> {
  const callsInto = Map.groupBy(calls, ([, callee]) => callee);
  const chains = new Map<string, readonly string[]>(Array.from(changed.keys(), (name) => [name, [name]]));
  for (const [name, chain] of chains)
    for (const [caller] of callsInto.get(name) ?? []) if (!chains.has(caller)) chains.set(caller, [caller, ...chain]);
  for (const name of changed.keys()) chains.delete(name);
  return chains;
}

/**
 * Of all call chains, those that leave their module and begin at a function that others can call. Chains within a module are findings of
 * that module.
 */
async function changesAlong(
  archive: ModuleArchive,
  { from, to: version }: { readonly from: bigint | undefined; readonly to: bigint },
  chains: ReadonlyMap<string, readonly string[]>,
  changed: Changed,
  isCut: boolean,
): Promise<Carried> {
  const differs = from === undefined ? undefined : differsBetween(archive, from, version);
  const exposed = new Set<string>();
  const changes: CarriedChange[] = [];
  const crossing = [...chains]
    .filter(([name, chain]) => moduleNameOf(name) !== moduleNameOf(chain.at(-1) as string))
    .sort(([, a], [, b]) => a.length - b.length);
  const modules = [...new Set(crossing.map(([name]) => moduleNameOf(name)))];
  const looked = new Set<string>();
  for (const [name, chain] of crossing) {
    if (!looked.has(moduleNameOf(name))) {
      const next = modules.slice(looked.size, looked.size + OPENED_AT_ONCE);
      for (const fn of await exposedFunctions(archive, next, version)) exposed.add(fn);
      for (const module of next) looked.add(module);
    }
    if (!exposed.has(name)) continue;
    const cause = changed.get(chain.at(-1) as string) as ChangedFunction;
    const isOf = async (fn: string): Promise<boolean> =>
      cause.effects === undefined || differs === undefined || (await differs(fn, cause.effects));
    if (!(await isOf(name)) || !(await isOf(chain.at(-1) as string))) continue;
    if (changes.length === CHANGES_MAX) return { changes, isCut: true };
    changes.push({ chain, what: cause.what });
  }
  return { changes, isCut };
}

/** The functions of modules that others can call: modules, friends, or clients. */
async function exposedFunctions(archive: Modules, modules: readonly string[], version: bigint): Promise<string[]> {
  const stored = await archive.standingAmong(modules.map(moduleNamed), version);
  const contentOf = await archive.contents(stored.map(({ bytecode }) => bytecode));
  return stored.flatMap(({ bytecode, ...module }) => {
    const functions = abiOf(contentOf(bytecode))?.functions ?? [];
    return functions.filter(isExposed).map(({ name }) => formatItemId({ module, name }));
  });
}

/** The calls of a module; none where its bytecode cannot be read. */
function callPairs(uses: ModuleUses | undefined): CallPair[] {
  return [...(uses?.calls ?? [])].flatMap(([caller, callees]) => callees.map((callee): CallPair => [caller, callee]));
}
