import type { Log } from "../../base/log.ts";
import { printable } from "../../base/printable.ts";
import type { Clock } from "../../base/time/clock.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerNode } from "../../node/ledger-node.ts";
import type { Store } from "../../work/store.ts";
import type { CrawlError } from "../visit/crawl-error.ts";

/**
 * Records that a node gave a module's bytes under another module's name: also where another attempt, or another node, gives
 * the right ones. `error` is what the visit of the account failed with.
 */
export async function recordMisnamed(
  { store, node, clock, log }: { readonly store: Store; readonly node: LedgerNode; readonly clock: Clock; readonly log: Log },
  { facts }: CrawlError,
  address: Address,
  version: bigint,
): Promise<void> {
  const [listed, found] = [`${address}::${facts["module"]}`, String(facts["in_bytes"])];
  log("warn", `${node.url} gave the bytes of ${printable(found, 200)} as ${printable(listed, 200)}`, { ledger_version: version });
  await store.addFinding(
    { kind: "module_name", subject: listed, fromVersion: version, toVersion: version, stored: listed, found, origin: node.url },
    clock.now(),
  );
}
