import { listFirst, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { ConfigError } from "../../../core/errors.ts";
import type { Address } from "../../../core/move/address.ts";
import { formatModuleId, moduleNamed, moduleNameOf } from "../../../core/move/module-id.ts";
import { NotHeldError } from "../../../core/questions/subject.ts";
import { usesIn } from "../../uses/direct-uses.ts";
import type { OwnUses } from "../../uses/reach.ts";
import { reachOf } from "../../uses/reach.ts";
import type { Build } from "../check/build-check.ts";
import { type Modules, wholeModules } from "../sources.ts";
import { hashesOf, withFields } from "./hashes.ts";
import { type Lock, type LockedModule, RULES } from "./lock-file.ts";

/** Characters of what own modules use. All of the framework, which is 110 modules, names 60,000 characters of itself. */
const USES_MAX = 4 * 1024 * 1024;

/** What a build uses of other modules, from its bytecode. @throws ConfigError for a module that cannot be read */
export async function readOwnUses({ modules }: Pick<Build, "modules">): Promise<OwnUses> {
  const own = [...modules.modules.keys()];
  const [used, functions, structs] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const moduleOf = await modules.load([...modules.modules.values()]);
  for (const [id, held] of modules.modules) {
    const loaded = moduleOf(held);
    if ("unreadable" in loaded) throw new ConfigError(`${id} cannot be locked: its bytecode cannot be read: ${loaded.unreadable}.`);
    const items = usesIn(loaded.module.bytes);
    for (const module of loaded.module.abi.dependencies) used.add(formatModuleId(module));
    for (const name of items?.functions ?? []) functions.add(name);
    for (const name of items?.structs ?? []) structs.add(name);
  }
  const foreign = (names: ReadonlySet<string>): string[] =>
    [...names].filter((name) => !own.some((id) => name === id || name.startsWith(`${id}::`))).sort();
  const uses = { own: own.toSorted(), modules: foreign(used), functions: foreign(functions), structs: foreign(structs) };
  const size = JSON.stringify(uses).length;
  if (size > USES_MAX) throw new ConfigError(`the build names ${size} characters of other modules; ${USES_MAX} can be kept.`);
  return uses;
}

/** What else is known of the modules of a ledger. */
export type Around = {
  readonly chainId: number | null;
  readonly versionOf: (address: Address) => Promise<bigint | undefined>;
  /** The packages of modules, as far as they are known. */
  readonly packages: ReadonlyMap<string, string>;
};

/**
 * Locks what a build reaches of other modules, as they are: functions by calls at any depth, and the structs that it names, with those in
 * their fields. A module with the bytes of `before` keeps the ledger version that it was locked at.
 * @throws NotHeldError where the archive does not hold all of it
 */
export async function makeLock(uses: OwnUses, modules: Modules, around: Around, before?: Lock): Promise<Lock> {
  const read = wholeModules(modules);
  const usesOf = async (id: string) => {
    const module = await read(id);
    return module && usesIn(module.bytes);
  };
  const { functions } = await reachOf(usesOf, uses, 0n);
  const isForeign = (item: string): boolean => !uses.own.includes(moduleNameOf(item));
  const items = [...functions, ...(await withFields(uses.structs, read))].filter(isForeign);
  const missing: string[] = [];
  for (const id of new Set(items.map(moduleNameOf))) if ((await read(id)) === undefined) missing.push(id);
  if (missing.length > 0) throw await notHeld(missing, modules);
  const locked = new Map<string, LockedModule>();
  for (const [id, hashes] of await hashesOf(items, uses.own, read)) {
    const { sha256 = "" } = (await read(id)) ?? {};
    const known = before?.modules.get(id);
    locked.set(id, {
      ...hashes,
      package: around.packages.get(id) ?? known?.package ?? null,
      ledgerVersion: known?.sha256 === sha256 ? known.ledgerVersion : ((await around.versionOf(moduleNamed(id).address)) ?? 0n),
      sha256,
    });
  }
  return { rules: RULES, chainId: around.chainId, uses, modules: locked };
}

async function notHeld(missing: readonly string[], { load }: Modules): Promise<NotHeldError> {
  const unknown: string[] = [];
  for (const id of missing) if ((await load(id)) !== undefined) unknown.push(moduleNamed(id).address);
  return new NotHeldError(
    `the build reaches ${plural(missing.length, "module")} that the archive does not hold, or cannot read: ${printable(listFirst(missing, 5), 500)}. ` +
      (unknown.length > 0
        ? `\`movedex targets add ${printable([...new Set(unknown)].slice(0, 5).join(" "), 500)}\` has the accounts read.`
        : "The accounts were read and have none: the build may be made for another version, which --at names."),
    { modules: missing.length },
  );
}
