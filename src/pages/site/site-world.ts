import type { Address } from "../../move/address.ts";
import type { ModuleId } from "../../move/types/types.ts";
import type { PageArchive } from "../page-archive.ts";

/** A module as its files know it: the first snapshot of each of its versions, oldest first, and whether the last one stands. */
export type SiteModule = ModuleId & { readonly from: readonly bigint[]; readonly stands: boolean };

/** What a site has pages of; as it may be handed to another thread. */
export type SiteWorld = {
  readonly chainId: number | null;
  /** The newest sealed version. */
  readonly newest: bigint;
  /** When it was sealed: the site's own time, so that the same archive makes the same files. */
  readonly now: number;
  readonly nights: readonly bigint[];
  readonly modules: readonly SiteModule[];
  readonly accounts: readonly Address[];
};

/** Reads what there is to make pages of; undefined before the first seal. */
export async function readWorld({ modules, store }: PageArchive): Promise<SiteWorld | undefined> {
  const nights = await modules.sealedVersions();
  const newest = nights.at(-1);
  if (newest === undefined) return undefined;
  const sealed = (await store.listSnapshots()).map(({ sealedAt }) => sealedAt ?? 0);
  const held: SiteModule[] = [];
  const accounts = new Set<Address>();
  const newestOf = new Map<Address, bigint | undefined>();
  for (const id of await modules.knownModules()) {
    if (!newestOf.has(id.address)) newestOf.set(id.address, await modules.newestCovering(id.address));
    const spans = await modules.historyOf(id);
    const last = spans.at(-1);
    if (last === undefined) continue;
    accounts.add(id.address);
    held.push({ ...id, from: spans.map(({ from }) => from), stands: last.to === null || last.to === newestOf.get(id.address) });
  }
  for (const night of new Set([nights[0] as bigint, nights.at(-2) ?? newest, newest]))
    for await (const address of modules.coveredAccounts(night)) accounts.add(address);
  const now = sealed.reduce((a, b) => Math.max(a, b), 0);
  return { chainId: await modules.chainId(), newest, now, nights, modules: held, accounts: [...accounts] };
}
