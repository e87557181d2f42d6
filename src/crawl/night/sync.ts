import type { Pin, PlanRecords, PlanScope } from "../../archive/snapshots/pins.ts";
import type { Log } from "../../base/log.ts";
import { plural } from "../../base/plural.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { LeasedStore, Store } from "../../work/store.ts";
import { ledgerTimes } from "../cadence/choose-reads.ts";
import { type ChoosingRequest, chooseTargets } from "../cadence/choose-targets.ts";
import { readingAges } from "../cadence/reading-ages.ts";
import { type RecordCadence, recordsToRead } from "../cadence/record-cadence.ts";
import { AbiWatch } from "../check/abi-watch.ts";
import { askFirst, type FirstQuestions } from "../check/first-answer.ts";
import { WorkerError } from "../run/worker-error.ts";
import { scopeOf } from "../targets/targets.ts";
import { crossCheck } from "./cross-check.ts";
import { pinFacts, type VersionRequest } from "./pin.ts";
import { retryGaps } from "./retry-gaps.ts";
import { RunCost } from "./run-cost.ts";
import { recordRun } from "./run-record.ts";
import { readSnapshot, sealPruned } from "./snapshot.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import { type SyncSummary, totalsOf } from "./summary.ts";
import { chooseTonights, isTonights, mayChoose, type PriorState, readPriorState, reportHead } from "./tonight.ts";

export type SyncRequest = ChoosingRequest & {
  readonly version: VersionRequest;
  /** Versions to stay below the head when the newest is asked for. */
  readonly lag: bigint;
  /** How often account records are read; default nightly, with the code. */
  readonly records?: RecordCadence | undefined;
  /** How many modules of the snapshot to read as JSON too, to compare the node's ABIs with the bytes; default none. */
  readonly crossCheck?: number;
  /** No new snapshot is taken when the newest was begun within this time: for workers that start one after the other. */
  readonly unlessWithinMs?: number | undefined;
  /** How often an account is tried before its gap is parked; with 0, the default, gaps of earlier snapshots are not tried again. */
  readonly gapTries?: number;
};

export type SyncWork = SnapshotWork & { readonly log: Log; readonly appVersion: string } & Pick<FirstQuestions, "acceptsNewHistory">;

/**
 * The night: pin → visit every target → store → seal. Unfinished snapshots come first, then the version asked for, then the gaps
 * of earlier ones. @returns a summary per snapshot, the run's own last
 */
export async function sync(surroundings: SyncWork, request: SyncRequest): Promise<SyncSummary[]> {
  const { store, node, clock, stop } = surroundings;
  const cost = new RunCost(surroundings);
  const { head, value: index } = await askFirst({ ...surroundings, signal: stop.signal });
  const before = await readPriorState(store);
  const abiWatch = new AbiWatch({ store, clock, url: node.url, gitHash: index.gitHash });
  const work = { ...surroundings, abiWatch };
  const summaries: SyncSummary[] = [];
  const night = async (): Promise<SyncSummary[]> => {
    let isDone = false;
    const seen = new Set<bigint>();
    for (const pin of await work.store.unfinishedPins()) {
      const isWanted = isTonights(pin, request, head, before, work.clock.now(), await store.othersAt(pin.ledgerVersion));
      // What was chosen for a budget is not widened: the next night chooses anew.
      const isWhole = isWanted && pin.passedOver === undefined;
      const rest = {
        scope: isWhole ? await scopeOf(work.store, request.scope) : [],
        records: await recordsToRead(store, request.records, head, pin.ledgerVersion),
      };
      const summary = await finishSnapshot(work, cost, pin, head, rest);
      summaries.push(summary);
      if (work.stop.reason !== undefined) return summaries;
      isDone ||= isWanted && summary.status !== "unsealed";
      seen.add(pin.ledgerVersion);
    }
    const isTaken = !isDone && (await isTakenAlready(work, request, before));
    if (isTaken) summaries.push(await leaveAsHeld(work, cost, before));
    else if (!isDone) summaries.push(await takeSnapshot(work, cost, request, before, head, seen));
    const isTonightDone = stop.reason === undefined && summaries.at(-1)?.status !== "unsealed";
    const justRead = new Set(summaries.map(({ ledgerVersion }) => ledgerVersion));
    const isOthers = summaries.at(-1)?.isSealedByAnother === true;
    const retried =
      isTonightDone && !isOthers
        ? await retryGaps(work, cost, request.gapTries ?? 0, justRead, request.records === "never" ? "none" : "all")
        : [];
    await compareAbis(work, abiWatch, cost, isOthers ? { ...request, crossCheck: 0 } : request, summaries);
    const last = summaries.pop();
    // The run's own snapshot stays the last, and has what is to be said of the run.
    if (last !== undefined) {
      const report = reportHead(head, before, request.version, clock.now());
      // Where the night was held already, a node that stands still since is no news.
      const headReport = { ...report, isStale: report.isStale && !isTaken };
      summaries.push(...retried, await withAges(store, { ...last, head: headReport }, head));
    }
    await store.recordBuild({ node: node.url, gitHash: index.gitHash, build: abiWatch.tally.build ?? null }, clock.now());
    return summaries;
  };
  return withUndecoded(store, await recordRun(work, "sync", night, () => totalsOf(summaries)));
}

/** Adds to the run's own summary how many modules of its snapshot cannot be decoded: known once rows are derived. */
async function withUndecoded(store: Store, summaries: SyncSummary[]): Promise<SyncSummary[]> {
  const last = summaries.at(-1);
  const undecoded = last === undefined || last.status === "unsealed" ? 0 : await store.undecodedModules(last.ledgerVersion);
  return last === undefined || undecoded === 0 ? summaries : [...summaries.slice(0, -1), { ...last, undecoded }];
}

/** Reads the sample of the run's own snapshot, and adds its cost and the result of all comparisons to the summary. */
async function compareAbis(
  work: SyncWork,
  watch: AbiWatch,
  cost: RunCost,
  { crossCheck: count = 0 }: SyncRequest,
  summaries: SyncSummary[],
): Promise<void> {
  const summary = summaries.pop();
  if (summary === undefined) return;
  if (count > 0 && summary.status !== "unsealed" && work.stop.reason === undefined) {
    await crossCheck(work, watch, summary.ledgerVersion, count);
  }
  summaries.push({ ...cost.extend(summary), ...(watch.tally.compared > 0 ? { abis: watch.tally } : {}) });
}

/** What a snapshot is to have more of: accounts, and of which of them the record. */
type Rest = { readonly scope: PlanScope; readonly records: PlanRecords };

async function finishSnapshot(work: SyncWork, cost: RunCost, pin: Pin, head: LedgerHead, rest: Rest): Promise<SyncSummary> {
  const { ledgerVersion } = pin;
  const { store } = work;
  const isReadable = ledgerVersion >= head.oldestVersion;
  if ((!isReadable || ledgerVersion > head.ledgerVersion) && (await store.othersAt(ledgerVersion)) > 0)
    throw WorkerError.pruned(ledgerVersion, work.node);
  if (isReadable) {
    const others = await store.withLease("plan", (turn) => resume(work, turn, ledgerVersion, rest));
    const message =
      others > 0
        ? `joining ${others === 1 ? "another worker" : `${others} other workers`} at ledger version ${ledgerVersion}`
        : `resuming the snapshot of ledger version ${ledgerVersion}, begun ${new Date(pin.createdAt).toISOString()}`;
    work.log("info", message, { ledger_version: ledgerVersion });
    return cost.summarize(ledgerVersion, await readSnapshot(work, ledgerVersion), others === 0);
  }
  work.log(
    "warn",
    `the node pruned up to ${head.oldestVersion} before the snapshot of ledger version ${ledgerVersion} was finished; sealing what was read`,
    {
      ledger_version: ledgerVersion,
      oldest_version: head.oldestVersion,
    },
  );
  const message = `ledger version ${ledgerVersion} was pruned before the account was read; the node's oldest is ${head.oldestVersion}`;
  const seal = await sealPruned(work, ledgerVersion, message);
  return cost.summarize(ledgerVersion, { seal, isLost: true, newBytecodes: 0, empty: 0 }, true);
}

async function takeSnapshot(
  work: SyncWork,
  cost: RunCost,
  request: SyncRequest,
  before: PriorState,
  firstHead: LedgerHead,
  seen: ReadonlySet<bigint>,
): Promise<SyncSummary> {
  const head = work.node.lastHead() ?? firstHead;
  const ledgerVersion = chooseTonights(head, request, before);
  if (ledgerVersion === undefined) {
    const held = before.newestSealed as bigint;
    const message = `the node's newest version is ${head.ledgerVersion}, and ledger version ${held} is held: there is nothing newer to read`;
    work.log("warn", message, { head_version: head.ledgerVersion, held_version: held });
    return cost.summarize(held, { seal: undefined, isLost: false, newBytecodes: 0, empty: 0 }, false);
  }
  const records = await recordsToRead(work.store, request.records, head, ledgerVersion);
  const chosen = mayChoose(request, before)
    ? await chooseTargets(work, request, { head, ledgerVersion, records, elapsedMs: cost.elapsedMs() })
    : undefined;
  const scope = chosen?.accounts ?? (await scopeOf(work.store, request.scope));
  const beginning = { ledgerVersion, head, scope, records, passedOver: chosen?.passedOver, request, before, seen };
  const begun = await work.store.withLease("plan", (turn) => begin(work, turn, beginning));
  if (begun.kind === "joined") {
    work.log("info", `joining the other workers at ledger version ${begun.ledgerVersion}`, { ledger_version: begun.ledgerVersion });
    return cost.summarize(begun.ledgerVersion, await readSnapshot(work, begun.ledgerVersion), false);
  }
  if (begun.kind === "pinned") {
    const fewerThan = warnOfFewer(work, request, begun.planned + (chosen?.passedOver ?? 0), before);
    const summary = await cost.summarize(ledgerVersion, await readSnapshot(work, ledgerVersion), false);
    return {
      ...summary,
      isFirst: before.newestSealed === undefined,
      ...(fewerThan === undefined ? {} : { fewerThan }),
      ...(chosen === undefined ? {} : { outlook: chosen.outlook }),
    };
  }
  const facts = { ledger_version: ledgerVersion, accounts: begun.lacking };
  if (begun.lacking === 0) {
    await work.store.announceVersion(undefined);
    const { unreadRecords } = await work.store.snapshotCounts(ledgerVersion);
    if (records === "all" && unreadRecords > 0) {
      const message = `ledger version ${ledgerVersion} is held already, but without the records of ${plural(unreadRecords, "account")}, which were left out when it was read. A sealed snapshot is not read again for them: the next one of a newer version reads them, unless --records leaves them out`;
      work.log("warn", message, { ...facts, records_unread: unreadRecords });
    } else work.log("info", `ledger version ${ledgerVersion} is stored already; nothing to read`, facts);
    return cost.summarize(ledgerVersion, { seal: undefined, isLost: false, newBytecodes: 0, empty: 0 }, false);
  }
  work.log("info", `ledger version ${ledgerVersion} is stored already; reading its missing accounts`, facts);
  return cost.summarize(ledgerVersion, await readSnapshot(work, ledgerVersion), true);
}

/** Adds to the summary of a night that left targets out how old what is known of them is. */
async function withAges(store: Store, summary: SyncSummary, head: LedgerHead): Promise<SyncSummary> {
  if (summary.passedOver === undefined || !(await store.hasTargets())) return summary;
  const timeOf = await ledgerTimes(store, head);
  return { ...summary, ages: await readingAges(store, timeOf, timeOf(head.ledgerVersion)) };
}

async function leaveAsHeld(work: SyncWork, cost: RunCost, { newestSealed }: PriorState): Promise<SyncSummary> {
  const held = newestSealed as bigint;
  work.log("info", `ledger version ${held} was started within --unless-within; not starting another`, { ledger_version: held });
  return cost.summarize(held, { seal: undefined, isLost: false, newBytecodes: 0, empty: 0 }, false);
}

/** Whether the night that this run was started for is held, having been begun a short time ago. */
async function isTakenAlready(
  { store, clock }: SyncWork,
  { unlessWithinMs, version }: SyncRequest,
  { newestSealed }: PriorState,
): Promise<boolean> {
  if (unlessWithinMs === undefined || newestSealed === undefined || version.kind === "exact") return false;
  const pin = await store.findPin(newestSealed);
  return pin !== undefined && clock.now() - pin.createdAt < unlessWithinMs;
}

/** Plans again the accounts that an open snapshot gave up or lacks, unless others are reading it. Returns how many. */
async function resume({ store }: SyncWork, turn: LeasedStore, version: bigint, { scope, records }: Rest): Promise<number> {
  const others = await store.othersAt(version);
  // Said before the turn ends, so that whoever comes next finds this process there.
  await store.announceVersion(version);
  if (others > 0) return others;
  if ((await turn.findPin(version))?.status === "unsealed") await turn.retryMisses(version, records);
  await turn.extendPin(version, scope, records);
  return 0;
}

/** How a run's own snapshot begins: with a new plan, a plan that another worker has just made, or the rest of a held snapshot. */
type SnapshotStart =
  | { readonly kind: "pinned"; readonly planned: number }
  | { readonly kind: "joined"; readonly ledgerVersion: bigint }
  | { readonly kind: "held"; readonly lacking: number };

type Beginning = Rest & {
  readonly ledgerVersion: bigint;
  readonly head: LedgerHead;
  /** Targets left out by choice; undefined when the scope is all that was asked for. */
  readonly passedOver: number | undefined;
  readonly request: SyncRequest;
  readonly before: PriorState;
  readonly seen: ReadonlySet<bigint>;
};

async function begin({ store, clock }: SyncWork, turn: LeasedStore, beginning: Beginning): Promise<SnapshotStart> {
  const { ledgerVersion, head, scope, records, passedOver, request, before, seen } = beginning;
  const open = store.isShared ? await turn.unfinishedPins() : [];
  let tonights: Pin | undefined;
  for (const pin of open.filter(({ ledgerVersion: version }) => !seen.has(version))) {
    if (isTonights(pin, request, head, before, clock.now(), await store.othersAt(pin.ledgerVersion))) tonights ??= pin;
  }
  const newest = store.isShared ? (await turn.sealedVersions()).at(-1) : undefined;
  // Sealed by others while this run was starting: that was the night.
  if (newest !== undefined && newest > (before.newestSealed ?? -1n) && request.version.kind !== "exact" && !seen.has(newest))
    return { kind: "joined", ledgerVersion: newest };
  await store.announceVersion(tonights?.ledgerVersion ?? ledgerVersion);
  if (tonights !== undefined) return { kind: "joined", ledgerVersion: tonights.ledgerVersion };
  const held = await turn.findPin(ledgerVersion);
  if (held !== undefined && held.status !== "abandoned")
    return { kind: "held", lacking: await turn.extendPin(ledgerVersion, scope, records) };
  const facts = { ...pinFacts(head), ledgerVersion, records, now: clock.now() };
  const { planned } = await turn.createPin(passedOver === undefined ? facts : { ...facts, passedOver }, scope);
  return { kind: "pinned", planned };
}

/** Says so when a snapshot is to have less than half the accounts of the one before; returns how many that had. */
function warnOfFewer(work: SyncWork, { scope }: SyncRequest, planned: number, before: PriorState): number | undefined {
  if (2 * planned >= before.planned) return undefined;
  const why =
    scope === undefined
      ? "Accounts named by --targets or --account are read in that run alone; `movedex targets import FILE` keeps them on the list"
      : "This run was asked for these accounts alone";
  const message = `reading ${planned} accounts, where the snapshot of ledger version ${before.newestSealed} has ${before.planned}. ${why}.`;
  work.log("warn", message, { accounts: planned, accounts_before: before.planned });
  return before.planned;
}
