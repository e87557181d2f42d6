import type { Address } from "../move/address.ts";
import type { LedgerNode } from "../node/ledger-node.ts";
import type { Store } from "../store/store.ts";
import { choosePin } from "./pin.ts";
import { assertSameChain } from "./same-chain.ts";
import type { SyncRequest } from "./sync.ts";
import { frameworkAccounts } from "./targets.ts";

/** What a run would do. */
export type DryRun = {
  readonly chainId: number;
  readonly ledgerVersion: bigint;
  /** Whether the version is sealed already, so that nothing would be read. */
  readonly isHeld: boolean;
  readonly accounts: number;
  /** One account read and one page of modules for each; more where an account has more pages than one. */
  readonly requestsAtLeast: number;
  /** At the rate asked for; undefined without a limit. */
  readonly durationMs: number | undefined;
  /** Versions between the horizon and the pin. */
  readonly aboveHorizon: bigint;
  /** Snapshots that earlier runs left unfinished: those that would be resumed, and those whose pin is gone. */
  readonly unfinished: readonly { readonly ledgerVersion: bigint; readonly accountsLeft: number; readonly isPruned: boolean }[];
};

/** Requests that a run makes besides reading targets: the index, and up to three to recognise the chain. */
const OVERHEAD = 4;

/** Finds out what `sync` would read, with a handful of requests and nothing written. `store` is undefined where there is no database yet. */
export async function dryRun(
  node: LedgerNode,
  store: Store | undefined,
  request: SyncRequest,
  ratePerSecond: number,
  signal: AbortSignal,
): Promise<DryRun> {
  const { head } = await node.index(signal);
  if (store !== undefined) await assertSameChain(store, node, head, signal);
  const ledgerVersion = choosePin(head, request.version, request.lag);
  const isHeld = store?.findPin(ledgerVersion) !== undefined;
  const accounts = isHeld ? 0 : countScope(store, request.scope);
  const unfinished = (store?.unfinishedPins() ?? []).map((pin) => ({
    ledgerVersion: pin.ledgerVersion,
    accountsLeft: store?.progress(pin.ledgerVersion).planned ?? 0,
    isPruned: pin.ledgerVersion < head.oldestVersion,
  }));
  const resumed = unfinished.reduce((sum, pin) => sum + (pin.isPruned ? 0 : pin.accountsLeft), 0);
  const requestsAtLeast = 2 * (accounts + resumed) + OVERHEAD;
  return {
    chainId: head.chainId,
    ledgerVersion,
    isHeld,
    accounts,
    requestsAtLeast,
    durationMs: ratePerSecond > 0 ? (requestsAtLeast * 1000) / ratePerSecond : undefined,
    aboveHorizon: ledgerVersion - head.oldestVersion,
    unfinished,
  };
}

function countScope(store: Store | undefined, scope: readonly Address[] | undefined): number {
  if (scope !== undefined) return new Set(scope).size;
  const stored = store?.countTargets() ?? 0;
  return stored > 0 ? stored : frameworkAccounts.length;
}
