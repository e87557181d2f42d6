import { isExposed } from "../../../core/abi/model.ts";
import { memoizeOf } from "../../../core/base/async.ts";
import { chunks } from "../../../core/base/lists.ts";
import { abiOf } from "../../../core/db/archive/content/stored-content.ts";
import type { ModuleArchive, StandingCode } from "../../../core/db/archive/read/module-archive.ts";
import { formatItemId, formatModuleId, itemNameOf, type ModuleId, moduleNamed, moduleNameOf } from "../../../core/move/module-id.ts";
import { findCallers } from "../../uses/callers.ts";
import { type ModuleUses, usesIn, usesOf } from "../../uses/direct-uses.ts";
import { changeText } from "../compare/behaviour-words.ts";
import { differenceOf, type ModuleDifference, type ModuleWithBytes } from "../compare/difference.ts";
import type { RuleFinding } from "../compare/finding.ts";
import { isBehaviour } from "../compare/rules/rules.ts";
import { loadContent } from "../compare/sides.ts";
import { itemsOf } from "../compare/usage.ts";
import { type Differs, differsBetween, modulesOf } from "./reached-effects.ts";

/** A function that others can call, whose own instructions are the same, and that calls, through others, what another module changed. */
export type CarriedChange = {
  /** From that function (`0x1::coin::withdraw`) to the one that changed. */
  readonly chain: readonly string[];
  /** What the one at the end does now: `no longer aborts with 0x1; aborts with 0x2`. */
  readonly what: string;
};

/** Changes that are carried into other modules, the shortest chains first; and whether there are more. */
export type Carried = { readonly changes: readonly CarriedChange[]; readonly isCut: boolean };

/** The findings of what changed functions do, by their names. */
type Changed = ReadonlyMap<string, readonly { readonly name: string; readonly finding: RuleFinding }[]>;
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
 * are to stand in place of the snapshot's. What does the same in all modules as before is left out.
 */
export async function carriedFrom(
  archive: ModuleArchive,
  version: bigint,
  differences: readonly ModuleDifference[],
  differs: Differs,
  build: ReadonlyMap<string, Pick<ModuleWithBytes, "bytes">> = new Map(),
): Promise<Carried> {
  const changed = changedIn(differences);
  const ownCalls = [...build.values()].flatMap(({ bytes }) => callPairs(usesIn(bytes)));
  const targets = Array.from(reaching(changed, ownCalls), (fn) => ({ module: moduleNamed(moduleNameOf(fn)), name: itemNameOf(fn) }));
  if (targets.length === 0) return { changes: [], isCut: false };
  const graph = await findCallers(archive, version, targets, { depth: FUNCTIONS_MAX, functions: FUNCTIONS_MAX + targets.length });
  const others = graph.calls.filter(({ caller }) => !build.has(formatModuleId(caller.module)));
  const calls = [...ownCalls, ...others.map(({ caller, callee }): CallPair => [formatItemId(caller), formatItemId(callee)])];
  return changesAlong(archive, version, differs, reaching(changed, calls), { calls, changed, isCut: graph.isCut });
}

/** What functions of one module do otherwise at a version than at another, since modules that they call changed. */
export async function carriedInto(
  archive: ModuleArchive,
  module: ModuleId,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  differs: Differs = differsBetween(archive, from, to),
): Promise<Carried> {
  const calls: CallPair[] = [];
  const changed = new Map<string, NonNullable<ReturnType<Changed["get"]>>>();
  const own = formatModuleId(module);
  const [now, before] = [modulesOf(archive, to), modulesOf(archive, from)];
  const modules = new Set([own]);
  // A set that grows while it is walked is walked to its end.
  for (const id of modules) {
    const [was, is] = [await before(id), await now(id)];
    if (is === undefined) continue;
    for (const pair of callPairs(await usesOf(archive, is))) {
      calls.push(pair);
      if (modules.size < MODULES_MAX) modules.add(moduleNameOf(pair[1]));
    }
    if (was === undefined || was.sha256 === is.sha256) continue;
    for (const [name, what] of await changesIn(archive, was, is)) changed.set(name, what);
  }
  const names = [...reaching(changed, calls)].filter((name) => moduleNameOf(name) === own);
  return changesAlong(archive, to, differs, names, { calls, changed, isCut: modules.size >= MODULES_MAX });
}

/** The changes of a module, kept of an archive: those of the framework are wanted for every comparison. */
const changesIn = memoizeOf(
  MODULES_MAX,
  (was, is) => `${was.bytecode} ${is.bytecode}`,
  async (archive: ModuleArchive, was: StandingCode, is: StandingCode): Promise<Changed> => {
    const [before, after] = [loadContent(await archive.content(was), was.sha256), loadContent(await archive.content(is), is.sha256)];
    const difference = "module" in before && "module" in after ? differenceOf(before.module, after.module) : undefined;
    return changedIn(difference === undefined ? [] : [difference]);
  },
);

function changedIn(differences: readonly ModuleDifference[]): Changed {
  const found = differences.flatMap(({ module, findings }) =>
    findings
      .filter(({ rule, item }) => isBehaviour(rule) && item.name !== null)
      .flatMap((finding) => itemsOf(finding).map(({ name }) => ({ name: formatItemId({ module, name: name as string }), finding }))),
  );
  return Map.groupBy(found, ({ name }) => name);
}

/** The functions that reach one that changed, the closest first, and those that changed. */
function reaching(changed: Changed, calls: readonly CallPair[]): Set<string> {
  const callsInto = Map.groupBy(calls, ([, callee]) => callee);
  const found = new Set(changed.keys());
  for (const name of found) for (const [caller] of callsInto.get(name) ?? []) found.add(caller);
  return found;
}

/**
 * What functions that others can call do otherwise by changes of other modules, each by the closest. Chains within a module are findings of
 * that module, and what changed itself has findings of its own.
 */
async function changesAlong(
  archive: ModuleArchive,
  version: bigint,
  differs: Differs,
  names: Iterable<string>,
  { calls, changed, isCut }: { readonly calls: readonly CallPair[]; readonly changed: Changed; readonly isCut: boolean },
): Promise<Carried> {
  const isOther = async (fn: string, { effects }: RuleFinding): Promise<boolean> => effects === undefined || (await differs(fn, effects));
  const callees = Map.groupBy(calls, ([caller]) => caller);
  const causeOf = async (name: string): Promise<CarriedChange | undefined> => {
    for (const { finding } of changed.get(name) ?? []) if (await isOther(name, finding)) return undefined;
    const chains = new Map<string, readonly string[]>([[name, [name]]]);
    for (const [fn, chain] of chains) {
      // How often something is done is said of the closest only.
      const isClosest = !chain.slice(0, -1).some((one) => changed.has(one));
      const findings = moduleNameOf(fn) === moduleNameOf(name) ? [] : (changed.get(fn) ?? []);
      for (const { finding } of findings)
        if (finding.effects === undefined ? isClosest : (await isOther(name, finding)) && (await isOther(fn, finding)))
          return { chain, what: changeText(finding).replace(/^(?=aborts )/, finding.rule === "always-aborts" ? "always " : "") };
      for (const [, callee] of callees.get(fn) ?? []) if (!chains.has(callee)) chains.set(callee, [...chain, callee]);
    }
    return undefined;
  };
  const changes: CarriedChange[] = [];
  const byModule = Map.groupBy(names, moduleNameOf);
  for (const opened of chunks([...byModule.keys()], OPENED_AT_ONCE)) {
    const exposed = new Set(await exposedFunctions(archive, opened, version));
    for (const name of opened.flatMap((id) => byModule.get(id) ?? [])) {
      const change = exposed.has(name) ? await causeOf(name) : undefined;
      if (change !== undefined) changes.push(change);
    }
  }
  changes.sort((a, b) => a.chain.length - b.chain.length);
  return { changes: changes.slice(0, CHANGES_MAX), isCut: isCut || changes.length > CHANGES_MAX };
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
