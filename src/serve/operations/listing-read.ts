import type { RowId } from "../../archive/read/served-rows.ts";
import { type ArchiveCache, compareModules, type OrderedModule } from "./archive-cache.ts";
import type { VersionedRead } from "./resolve-version.ts";
import { moduleOrder } from "./state-key.ts";

type Listing = readonly OrderedModule[];

/**
 * Reads the modules of an account. Between two snapshots a listing is inferred when for each module the observations
 * nearest to the version on both sides agree, the point reads of `trace` among them: so a change whose version is known
 * exactly does not keep the versions around it from being answered.
 */
export function listingRead(cache: ArchiveCache): VersionedRead<Listing> {
  return {
    part: "modules",
    at: (account, version) => cache.listing(account, version),
    between: async (account, version, { previous, next }, between) => {
      if (between === "exact" || previous === undefined || next === undefined) return undefined;
      const value = await listingBetween(cache, account, version, [previous, next]);
      return value === undefined ? undefined : { value, observedAt: [previous, next] };
    },
  };
}

async function listingBetween(
  cache: ArchiveCache,
  account: RowId,
  version: bigint,
  [previous, next]: readonly [bigint, bigint],
): Promise<Listing | undefined> {
  const before = byName(await cache.listing(account, previous));
  const after = byName(await cache.listing(account, next));
  const probedAfter = new Set<string>();
  // In the order of versions: below the version the last point read of a name counts, above it the first.
  for (const { name, version: probed, bytecode } of await cache.archive.moduleProbes(account, previous, next)) {
    if (probed <= version) before.set(name, bytecode);
    else if (!probedAfter.has(name)) after.set(name, bytecode);
    if (probed > version) probedAfter.add(name);
  }
  const listing: OrderedModule[] = [];
  for (const name of new Set([...before.keys(), ...after.keys()])) {
    const bytecode = before.get(name);
    if (bytecode !== after.get(name)) return undefined;
    if (bytecode !== undefined) listing.push({ name, bytecode, order: moduleOrder(name) });
  }
  return listing.sort(compareModules);
}

function byName(listing: Listing): Map<string, RowId | undefined> {
  return new Map(listing.map(({ name, bytecode }) => [name, bytecode]));
}
