import { type Address, parseAddress } from "../../move/address.ts";
import type { PlanScope } from "../../store/snapshots/pins.ts";
import type { Store } from "../../store/store.ts";

/** The accounts that hold the framework and its sister packages on every Aptos-like ledger; crawled when nothing else is asked for. */
export const frameworkAccounts: readonly Address[] = ["0x1", "0x3", "0x4", "0x5", "0x7", "0xa"].map(
  (text) => parseAddress(text) as Address,
);

/** The accounts that a run reads: those it was told, else the stored targets, else the framework accounts. */
export async function scopeOf(store: Store | undefined, told: readonly Address[] | undefined): Promise<PlanScope> {
  return told ?? ((await store?.hasTargets()) ? "targets" : frameworkAccounts);
}

/** The accounts of a scope, one by one. */
export async function listScope(store: Store | undefined, told: readonly Address[] | undefined): Promise<Address[]> {
  const scope = await scopeOf(store, told);
  return scope === "targets" ? Array.fromAsync(store?.activeTargets() ?? []) : [...scope];
}
