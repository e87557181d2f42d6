import type { Store } from "../../store/store.ts";
import type { NewTarget } from "../../store/work/targets.ts";
import { frameworkAccounts } from "./targets.ts";

/**
 * The targets that stored modules lead to, at most `depth` steps from one that was not discovered.
 *
 * While the list is empty `sync` reads the framework accounts; they come onto the list together with the first
 * discoveries, else discovering would end their crawl.
 */
export async function discoverTargets(store: Store, depth: number): Promise<NewTarget[]> {
  const found = (await store.discover())
    .map(({ address, reason, via, viaDepth }): NewTarget => ({ address, reason, via, depth: viaDepth + 1 }))
    .filter((target) => target.depth <= depth);
  if (await store.hasTargets()) return found;
  const defaults = frameworkAccounts.map((address): NewTarget => ({ address, reason: "default", via: null, depth: 0 }));
  const isDefault = new Set(frameworkAccounts);
  return [...defaults, ...found.filter(({ address }) => !isDefault.has(address))];
}
