import { pinQueries, readSealedVersions } from "../../archive/snapshots/pins.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { backfillQueries } from "../../work/runs/backfill.ts";

export type OpenAccounts = ReturnType<typeof rememberOpen>;

/**
 * The accounts of a scope to read at a version, where accounts are inferred between snapshots at most `maxApart` apart. Between two
 * snapshots they are the same, so they are remembered until one is sealed.
 */
export function rememberOpen(engine: Engine, scope: readonly Address[], maxApart: bigint | undefined) {
  const byGap = new Map<bigint | undefined, readonly Address[]>();
  let within = maxApart;
  let sealed: readonly bigint[] | undefined;

  /** After a snapshot was sealed or extended. */
  function forget(): void {
    sealed = undefined;
    byGap.clear();
  }

  return {
    forget,
    maxApart: (): bigint | undefined => within,
    at: async (version: bigint): Promise<readonly Address[]> => {
      if ((await pinQueries(engine).findPin(version)) !== undefined) return backfillQueries(engine).openAccounts(version, scope, within);
      sealed ??= await readSealedVersions(engine);
      const before = sealed.findLast((one) => one < version);
      const open = byGap.get(before) ?? (await backfillQueries(engine).openAccounts(version, scope, within));
      byGap.set(before, open);
      return open;
    },
    /** From now on accounts are inferred between snapshots this far apart. */
    inferWithin: (apart: bigint | undefined): void => {
      within = apart;
      forget();
    },
  };
}
