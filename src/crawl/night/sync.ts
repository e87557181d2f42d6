import type { Log } from "../../base/log.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/answers/ledger-head.ts";
import type { Pin, PlanScope } from "../../store/snapshots/pins.ts";
import { AbiWatch } from "../check/abi-watch.ts";
import { crossCheck } from "../check/cross-check.ts";
import { assertSameChain } from "../check/same-chain.ts";
import { scopeOf } from "../targets/targets.ts";
import { choosePin, type VersionRequest } from "./pin.ts";
import { retryGaps } from "./retry-gaps.ts";
import { Measure } from "./run-cost.ts";
import { inDiary } from "./run-record.ts";
import { sealPruned } from "./seal-pruned.ts";
import { readSnapshot } from "./snapshot.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import { type SyncSummary, tallyOf } from "./summary.ts";

/** What a run is asked for. */
export type SyncRequest = {
  readonly version: VersionRequest;
  /** Versions to stay below the head when the newest is asked for. */
  readonly lag: bigint;
  /** The accounts to read; undefined for the stored targets or, without any, the framework accounts. */
  readonly scope: readonly Address[] | undefined;
  /** Modules of the snapshot to ask for as JSON besides, so that the node's ABIs can be held against the bytes; none when left out. */
  readonly crossCheck?: number;
  /** How often an account is tried before its gap is parked; gaps of earlier snapshots are not tried again when left out, or 0. */
  readonly gapTries?: number;
};

/** A run's surroundings: those of a snapshot, where to talk, and which movedex it is, for the diary. */
export type SyncWork = SnapshotWork & { readonly log: Log; readonly appVersion: string };

/** A snapshot begun this long ago at most is still tonight's: finishing it is all that a run for the newest version has to do. */
const SAME_NIGHT_MS = 12 * 3_600_000;

/**
 * The night: pin → visit every target → store → seal.
 *
 * Snapshots that earlier runs left unfinished come first: they are resumed while their pin is readable, else sealed with
 * what they have. Then the version that was asked for, unless one of those was it; where it is held already, only the
 * accounts are read that it has no answer for. Then the gaps of earlier snapshots are tried again.
 *
 * One summary per snapshot; the last is the run's.
 */
export async function sync(surroundings: SyncWork, request: SyncRequest): Promise<SyncSummary[]> {
  const { store, node, clock, stop } = surroundings;
  const measure = new Measure(surroundings);
  const { head, value: index } = await node.index(stop.signal);
  await assertSameChain(store, node, head, stop.signal);
  const abiWatch = new AbiWatch({ store, clock, url: node.url, gitHash: index.gitHash });
  const work = { ...surroundings, abiWatch };
  const summaries: SyncSummary[] = [];
  const night = async (): Promise<SyncSummary[]> => {
    let isDone = false;
    for (const pin of await work.store.unfinishedPins()) {
      const isWanted = isWhatIsWanted(pin, request, head, work.clock.now());
      const summary = await finishSnapshot(work, measure, pin, head, isWanted ? await scopeOf(work.store, request.scope) : []);
      summaries.push(summary);
      if (work.stop.reason !== undefined) return summaries;
      isDone ||= isWanted && summary.status !== "unsealed";
    }
    if (!isDone) summaries.push(await takeSnapshot(work, measure, request, head));
    const isTonightDone = stop.reason === undefined && summaries.at(-1)?.status !== "unsealed";
    const justRead = new Set(summaries.map(({ ledgerVersion }) => ledgerVersion));
    const retried = isTonightDone ? await retryGaps(work, measure, request.gapTries ?? 0, justRead) : [];
    await compareAbis(work, abiWatch, measure, request, summaries);
    // The run's own snapshot stays the last.
    summaries.splice(-1, 0, ...retried);
    await store.noteBuild({ node: node.url, gitHash: index.gitHash, build: abiWatch.tally.build ?? null }, clock.now());
    return summaries;
  };
  return inDiary(work, "sync", night, () => tallyOf(summaries));
}

/** Asks for the sample of the run's snapshot, and adds what all comparing came to, and its cost, to its summary. */
async function compareAbis(
  work: SyncWork,
  watch: AbiWatch,
  measure: Measure,
  { crossCheck: count = 0 }: SyncRequest,
  summaries: SyncSummary[],
): Promise<void> {
  const summary = summaries.pop();
  if (summary === undefined) return;
  if (count > 0 && summary.status !== "unsealed" && work.stop.reason === undefined) {
    await crossCheck(work, watch, summary.ledgerVersion, count);
  }
  summaries.push({ ...measure.extend(summary), ...(watch.tally.compared > 0 ? { abis: watch.tally } : {}) });
}

/** Whether finishing an unfinished snapshot is all that a run is asked for. One that was sealed once and extended is not tonight's. */
export function isWhatIsWanted(pin: Pin, { version }: Pick<SyncRequest, "version">, head: LedgerHead, nowMs: number): boolean {
  if (pin.ledgerVersion < head.oldestVersion) return false;
  if (version.kind === "exact") return version.version === pin.ledgerVersion;
  return pin.status === "unsealed" && nowMs - pin.createdAt < SAME_NIGHT_MS;
}

async function finishSnapshot(work: SyncWork, measure: Measure, pin: Pin, head: LedgerHead, scope: PlanScope): Promise<SyncSummary> {
  const { ledgerVersion } = pin;
  if (ledgerVersion >= head.oldestVersion) {
    work.log("info", `resuming the snapshot of ledger version ${ledgerVersion}, begun ${new Date(pin.createdAt).toISOString()}`, {
      ledger_version: ledgerVersion,
    });
    if (pin.status === "unsealed") await work.store.retryMisses(ledgerVersion);
    await work.store.extendPin(ledgerVersion, scope);
    return measure.summarize(ledgerVersion, await readSnapshot(work, ledgerVersion), true);
  }
  work.log(
    "warn",
    `the snapshot of ledger version ${ledgerVersion} was not finished in time: the node has pruned up to ${head.oldestVersion}; sealing what was read`,
    {
      ledger_version: ledgerVersion,
      oldest_version: head.oldestVersion,
    },
  );
  const message = `ledger version ${ledgerVersion} was pruned before the account was read; the node's oldest is ${head.oldestVersion}`;
  const seal = await sealPruned(work, ledgerVersion, message);
  return measure.summarize(ledgerVersion, { seal, isLost: true, newBytecodes: 0 }, true);
}

async function takeSnapshot(work: SyncWork, measure: Measure, request: SyncRequest, firstHead: LedgerHead): Promise<SyncSummary> {
  const head = work.node.lastHead() ?? firstHead;
  const ledgerVersion = choosePin(head, request.version, request.lag);
  const scope = await scopeOf(work.store, request.scope);
  const held = await work.store.findPin(ledgerVersion);
  if (held === undefined || held.status === "abandoned") {
    await work.store.createPin(
      {
        chainId: head.chainId,
        ledgerVersion,
        headVersion: head.ledgerVersion,
        oldestVersion: head.oldestVersion,
        headTimestampUsec: head.timestampUsec,
        headEpoch: head.epoch,
        headBlockHeight: head.blockHeight,
        now: work.clock.now(),
      },
      scope,
    );
    return measure.summarize(ledgerVersion, await readSnapshot(work, ledgerVersion), false);
  }
  const lacking = await work.store.extendPin(ledgerVersion, scope);
  const facts = { ledger_version: ledgerVersion, accounts: lacking };
  if (lacking === 0) {
    work.log("info", `ledger version ${ledgerVersion} is held already; nothing to read`, facts);
    return measure.summarize(ledgerVersion, { seal: undefined, isLost: false, newBytecodes: 0 }, false);
  }
  work.log("info", `ledger version ${ledgerVersion} is held already; reading the accounts that it has no answer for`, facts);
  return measure.summarize(ledgerVersion, await readSnapshot(work, ledgerVersion), true);
}
