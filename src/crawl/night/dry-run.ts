import type { Store } from "../../store/store.ts";
import { chooseTargets } from "../cadence/choose-targets.ts";
import { recordsToRead } from "../cadence/record-cadence.ts";
import { askFirst, type FirstQuestions } from "../check/first-answer.ts";
import { frameworkAccounts, scopeOf } from "../targets/targets.ts";
import { type ExpectedBytes, expectedBytes, type PacedTime, timesAt } from "./night-cost.ts";
import type { SyncRequest } from "./sync.ts";
import { chooseTonights, isTonights as isOfTonight, mayChoose, readBefore } from "./tonight.ts";

/** What a run would do. */
export type DryRun = {
  readonly chainId: number;
  /** The version that would be read, not counting those of unfinished snapshots. */
  readonly ledgerVersion: bigint;
  /** Whether there is a snapshot of that version, of which only missing accounts would be read. */
  readonly isHeld: boolean;
  /** Accounts that would be read there; none when an unfinished snapshot would be finished instead. */
  readonly accounts: number;
  /** Where the budget does not suffice for all targets: how many it would leave out, and of the changes of a day the share known within a day. */
  readonly choice: { readonly passedOver: number; readonly knownWithinDay: number | undefined } | undefined;
  /** One page of modules for each account, and its record where that is to be read; some accounts need more pages. */
  readonly requestsAtLeast: number;
  /** How long that takes: at the rate asked for, where it has a limit, and at others that could be had. */
  readonly times: readonly PacedTime[];
  /** Undefined before the first run on this database. */
  readonly bytes: ExpectedBytes | undefined;
  /** Versions between the horizon and the pin. */
  readonly aboveHorizon: bigint;
  /** Snapshots that earlier runs left unfinished: they would be resumed, or sealed when pruned. With `isTonights` no other would be taken. */
  readonly unfinished: readonly {
    readonly ledgerVersion: bigint;
    readonly accountsLeft: number;
    readonly isPruned: boolean;
    readonly isTonights: boolean;
  }[];
};

/** Finds out what `sync` would read, with the requests that every run begins with, and writes nothing. The first of `paces` is the one asked for. `store` is undefined where there is no database yet. */
export async function dryRun(
  questions: FirstQuestions & { readonly pageSize: number | undefined },
  request: SyncRequest,
  paces: readonly { readonly name: string; readonly perSecond: number }[],
): Promise<DryRun> {
  const { head } = await askFirst(questions);
  const { node, store, clock } = questions;
  const { requests, retries } = node.stats();
  const before = store === undefined ? { newestSealed: undefined, planned: 0, head: undefined } : await readBefore(store);
  const wanted = chooseTonights(head, request, before);
  const ledgerVersion = wanted ?? (before.newestSealed as bigint);
  const unfinished: DryRun["unfinished"][number][] = [];
  for (const pin of (await store?.unfinishedPins()) ?? []) {
    const { ledgerVersion } = pin;
    const isTonights = isOfTonight(pin, request, head, before, clock.now());
    const lacking = isTonights ? await store?.countUnanswered(ledgerVersion, await scopeOf(store, request.scope)) : 0;
    const accountsLeft = ((await store?.progress(ledgerVersion))?.planned ?? 0) + (lacking ?? 0);
    unfinished.push({ ledgerVersion, accountsLeft, isPruned: ledgerVersion < head.oldestVersion, isTonights });
  }
  const held = await store?.findPin(ledgerVersion);
  const isHeld = held !== undefined && held.status !== "abandoned";
  const isNew = wanted !== undefined && !unfinished.some(({ isTonights }) => isTonights);
  const records = store === undefined ? undefined : await recordsToRead(store, request.records, head, ledgerVersion);
  const chosen =
    isNew && mayChoose(request, before)
      ? await chooseTargets(questions, request, { head, ledgerVersion, records, elapsedMs: 0 })
      : undefined;
  const accounts = !isNew ? 0 : (chosen?.accounts.length ?? (await countScope(store, isHeld ? ledgerVersion : undefined, request)));
  const resumed = unfinished.reduce((sum, pin) => sum + (pin.isPruned ? 0 : pin.accountsLeft), 0);
  const scope = chosen?.accounts ?? (store === undefined ? [] : await scopeOf(store, request.scope));
  const recordsRead =
    store === undefined || records === undefined || !isNew || isHeld
      ? request.records === "never"
        ? 0
        : accounts
      : await store.countRecordsPlanned(ledgerVersion, scope, records);
  const requestsAtLeast = accounts + recordsRead + (request.records === "never" ? 1 : 2) * resumed + requests - retries;
  return {
    chainId: head.chainId,
    ledgerVersion,
    isHeld,
    accounts,
    choice: chosen && { passedOver: chosen.passedOver, knownWithinDay: chosen.knownWithinDay },
    requestsAtLeast,
    times: timesAt(requestsAtLeast, paces),
    bytes: await expectedBytes(store, accounts + resumed),
    aboveHorizon: ledgerVersion - head.oldestVersion,
    unfinished,
  };
}

/** How many accounts of the scope would be read at a version: those without an answer there, or all of a new one. */
async function countScope(store: Store | undefined, held: bigint | undefined, { scope }: SyncRequest): Promise<number> {
  if (store !== undefined && held !== undefined) return store.countUnanswered(held, await scopeOf(store, scope));
  if (scope !== undefined) return new Set(scope).size;
  const stored = (await store?.countTargets()) ?? 0;
  return stored > 0 ? stored : frameworkAccounts.length;
}
