import type { PlanScope } from "../../archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../engine/engine.ts";
import { type Address, parseAddress } from "../../move/address.ts";
import { type NewTarget, targetQueries } from "../../work/targets/targets.ts";

/** The accounts of the framework and its companion packages on every Aptos-like ledger; read when nothing else is asked for. */
export const frameworkAccounts: readonly Address[] = ["0x1", "0x3", "0x4", "0x5", "0x7", "0xa"].map(
  (text) => parseAddress(text) as Address,
);

/** The accounts that a run reads: those `requested` on the command line, else the stored targets, else the framework accounts. */
export async function scopeOf(engine: Engine | undefined, requested: readonly Address[] | undefined): Promise<PlanScope> {
  return requested ?? ((await (engine && targetQueries(engine).hasTargets())) ? "targets" : frameworkAccounts);
}

export async function listScope(engine: Engine | undefined, requested: readonly Address[] | undefined): Promise<Address[]> {
  const scope = await scopeOf(engine, requested);
  return scope === "targets" ? Array.fromAsync((engine && targetQueries(engine).activeTargets()) ?? []) : [...scope];
}

/**
 * The accounts that stored modules depend on, befriend or mention, at most `depth` steps from a target. The first discoveries
 * bring the framework accounts, which `sync` reads only while the list is empty.
 */
export async function discoverTargets(engine: Engine, depth: number): Promise<NewTarget[]> {
  const { discover } = await import("../../archive/read/discovery.ts");
  const found = (await discover(engine))
    .map(({ address, reason, via, viaDepth }): NewTarget => ({ address, reason, via, depth: viaDepth + 1 }))
    .filter((target) => target.depth <= depth);
  if (await targetQueries(engine).hasTargets()) return found;
  const defaults = frameworkAccounts.map((address): NewTarget => ({ address, reason: "default", via: null, depth: 0 }));
  const isDefault = new Set(frameworkAccounts);
  return [...defaults, ...found.filter(({ address }) => !isDefault.has(address))];
}
