import type { Address } from "../../move/address.ts";
import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import type { PageArchive } from "../page-archive.ts";

/**
 * A module as its files know it: the first snapshot of each of its versions, oldest first, and whether the last one stands. `bytes` has the
 * SHA-256 of each version's bytecode.
 */
export type SiteModule = ModuleId & { readonly from: readonly bigint[]; readonly bytes: readonly string[]; readonly stands: boolean };

/** What a site has pages of; as it may be handed to another thread. */
export type SiteWorld = {
  readonly chainId: number | null;
  /** The newest sealed version. */
  readonly newest: bigint;
  /** When it was sealed: the site's own time, so that the same archive makes the same files. */
  readonly now: number;
  readonly nights: ReadonlySet<bigint>;
  /** Each by its name with its account. */
  readonly modules: ReadonlyMap<string, SiteModule>;
  /** Each with the newest snapshot that covers it. */
  readonly accounts: ReadonlyMap<Address, bigint | undefined>;
};

/**
 * A module's versions as they are in its file names; undefined if nothing is held of it. `newest`: the newest snapshot that covers its
 * account.
 */
async function siteModule(modules: PageArchive["modules"], id: ModuleId, newest: bigint | undefined): Promise<SiteModule | undefined> {
  const spans = await modules.historyOf(id);
  const last = spans.at(-1);
  if (last === undefined) return undefined;
  const stands = last.to === null || last.to === newest;
  return { ...id, from: spans.map(({ from }) => from), bytes: spans.map(({ sha256 }) => sha256), stands };
}

/** The world of one module: as much as links to it and its differences need. */
export async function worldOfModule(modules: PageArchive["modules"], id: ModuleId): Promise<SiteWorld> {
  const newest = await modules.newestCovering(id.address);
  const module = await siteModule(modules, id, newest);
  const held = new Map(module === undefined ? [] : [[formatModuleId(id), module]]);
  return { chainId: null, newest: 0n, now: 0, nights: new Set(), modules: held, accounts: new Map([[id.address, newest]]) };
}

/** Reads what there is to make pages of; undefined before the first seal. */
export async function readWorld({ modules, store }: PageArchive): Promise<SiteWorld | undefined> {
  const nights = await modules.sealedVersions();
  const newest = nights.at(-1);
  if (newest === undefined) return undefined;
  const sealed = (await store.listSnapshots()).map(({ sealedAt }) => sealedAt ?? 0);
  const held = new Map<string, SiteModule>();
  const accounts = new Map<Address, bigint | undefined>();
  const add = async (address: Address): Promise<void> => {
    if (!accounts.has(address)) accounts.set(address, await modules.newestCovering(address));
  };
  for (const id of await modules.knownModules()) {
    await add(id.address);
    const module = await siteModule(modules, id, accounts.get(id.address));
    if (module !== undefined) held.set(formatModuleId(id), module);
  }
  for (const night of new Set([nights[0] as bigint, nights.at(-2) ?? newest, newest]))
    for await (const address of modules.coveredAccounts(night)) await add(address);
  const now = sealed.reduce((a, b) => Math.max(a, b), 0);
  return { chainId: await modules.chainId(), newest, now, nights: new Set(nights), modules: held, accounts };
}
