import { memoize } from "../../core/base/async.ts";
import { moduleNamed } from "../../core/move/module-id.ts";
import type { ModuleWithBytes } from "../changes/compare/difference.ts";
import type { HeldModule, LoadedModule, Side } from "../changes/compare/sides.ts";
import type { Ledger } from "./archive-ledger.ts";

/** Modules of one state that are kept. */
const MODULES_KEPT = 1_000;

/** Where modules are taken from, by their names: a ledger, files, or what was locked. */
export type Modules = {
  readonly label: string;
  /** Undefined where it is known not to be there. */
  readonly load: (id: string) => Promise<LoadedModule | undefined>;
};

function modulesOf(label: string, sideOf: (id: string) => Promise<Side>): Modules {
  const load = memoize(MODULES_KEPT, String, async (id: string) => {
    const side = await sideOf(id);
    const held = side.modules.get(id);
    if (held !== undefined) return (await side.load([held]))(held);
    const unreadable = await side.unknown(moduleNamed(id).address);
    return unreadable === undefined ? undefined : { unreadable };
  });
  return { label, load };
}

/** The ledger as an archive holds it. */
export async function ledgerModules(ledger: Pick<Ledger, "side">): Promise<Modules> {
  return modulesOf((await ledger.side([])).label, (id) => ledger.side([moduleNamed(id)]));
}

/** What was locked, by the SHA-256 of each module. */
export function lockedModules(label: string, modules: ReadonlyMap<string, Pick<HeldModule, "sha256">>, load: Side["load"]): Modules {
  const held = new Map(Array.from(modules, ([id, { sha256 }]) => [id, { ...moduleNamed(id), sha256 }]));
  return modulesOf(label, async () => ({ label, modules: held, unknown: async () => undefined, load }));
}

/** The copies that a build has of what it was built against; of what it has none, what was locked. */
export function builtModules(copies: Side | undefined, locked: Modules): Modules {
  if (copies === undefined) return locked;
  const built = modulesOf("what the build was made against", async () => copies);
  return { label: built.label, load: (id) => (copies.modules.has(id) ? built : locked).load(id) };
}

/** Reads modules that can be read in whole. */
export function wholeModules({ load }: Modules): (id: string) => Promise<ModuleWithBytes | undefined> {
  return async (id) => {
    const loaded = await load(id);
    return loaded === undefined || "unreadable" in loaded || loaded.partial !== undefined ? undefined : loaded.module;
  };
}
