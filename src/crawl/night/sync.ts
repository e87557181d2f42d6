import type { Pin, PlanRecords, PlanScope } from "../../archive/snapshots/pins.ts";
import { plural } from "../../base/plural.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { LeasedStore, Store } from "../../work/store.ts";
import { type ChoosingRequest, chooseTargets, ledgerTimes } from "../cadence/choose-reads.ts";
import { readingAges } from "../cadence/reading-ages.ts";
import { type RecordCadence, recordsToRead } from "../cadence/record-cadence.ts";
import { crossCheck } from "../check/cross-check.ts";
import { askFirst } from "../check/first-answer.ts";
import type { RunWork } from "../run/run-work.ts";
import { WorkerError } from "../run/worker-error.ts";
import { scopeOf } from "../targets/targets.ts";
import { AbiWatch } from "../visit/abi-watch.ts";
import { pinFacts, type VersionRequest } from "./pin.ts";
import { retryGaps } from "./retry-gaps.ts";
import { RunCost } from "./run-cost.ts";
import { recordRun } from "./run-record.ts";
import { readSnapshot, sealPruned } from "./snapshot.ts";
import { NOTHING_READ, type SnapshotWork } from "./snapshot-reader.ts";
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

/**
 * The night: pin → visit every target → store → seal. Unfinished snapshots come first, then the version asked for, then the gaps
 * of earlier ones. @returns a summary per snapshot, the run's own last
 */
export async function sync(surroundings: SnapshotWork, request: SyncRequest): Promise<SyncSummary[]> {
  const { store, node, clock } = surroundings;
  const cost = new RunCost(surroundings);
  const { head, value } = await askFirst(surroundings);
  const before = await readPriorState(store);
  const abiWatch = new AbiWatch({ store, clock, url: node.url, gitHash: value.gitHash });
  const work = { ...surroundings, abiWatch };
  const night: Night = { work, cost, request, head, before, finished: new Set(), summaries: [] };
  await recordRun(
    work,
    "sync",
    async () => {
      if (!(await readAll(night))) return;
      await store.recordBuild({ node: node.url, gitHash: value.gitHash, build: abiWatch.tally.build ?? null }, clock.now());
    },
    () => totalsOf(night.summaries),
  );
  return withUndecoded(store, night.summaries);
}

/** Adds to the run's own summary how many modules of its snapshot cannot be decoded: known once rows are derived. */
async function withUndecoded(store: Store, summaries: SyncSummary[]): Promise<SyncSummary[]> {
  const last = summaries.at(-1);
  const undecoded = last === undefined || last.status === "unsealed" ? 0 : await store.undecodedModules(last.ledgerVersion);
  return last === undefined || undecoded === 0 ? summaries : [...summaries.slice(0, -1), { ...last, undecoded }];
}

/** What a snapshot is to have more of: accounts, and of which of them the record. */
type Rest = { readonly scope: PlanScope; readonly records: PlanRecords };

/** How a run's own snapshot begins: with a new plan, a plan that another worker has just made, or the rest of a held snapshot. */
type SnapshotStart =
  | { readonly kind: "pinned"; readonly planned: number }
  | { readonly kind: "joined"; readonly ledgerVersion: bigint }
  | { readonly kind: "held"; readonly lacking: number };

/** One run: what its steps share. */
type Night = {
  readonly work: SnapshotWork & { readonly abiWatch: AbiWatch };
  readonly cost: RunCost;
  readonly request: SyncRequest;
  /** The run's first answer. */
  readonly head: LedgerHead;
  readonly before: PriorState;
  /** Versions that earlier runs began to read, and this one has finished. */
  readonly finished: Set<bigint>;
  /** A summary per snapshot, the run's own last. */
  readonly summaries: SyncSummary[];
};

/** Reads all that the run is to read. @returns whether it came to its own snapshot, and was not stopped before */
async function readAll(night: Night): Promise<boolean> {
  const { store, clock, stop, abiWatch } = night.work;
  const { version, gapTries = 0, records, crossCheck: sample = 0 } = night.request;
  const { summaries } = night;
  let isDone = false;
  for (const pin of await store.unfinishedPins()) {
    const isWanted = await isWantedTonight(night, pin);
    const summary = await finish(night, pin, isWanted);
    summaries.push(summary);
    if (stop.reason !== undefined) return false;
    isDone ||= isWanted && summary.status !== "unsealed";
    night.finished.add(pin.ledgerVersion);
  }
  const isTaken = !isDone && (await isTakenAlready(night));
  if (!isDone) summaries.push(isTaken ? await leaveAsHeld(night) : await take(night));
  const justRead = new Set(summaries.map(({ ledgerVersion }) => ledgerVersion));
  const own = summaries.at(-1) as SyncSummary;
  const canGoOn = own.status !== "unsealed" && own.isSealedByAnother !== true;
  const retried =
    canGoOn && stop.reason === undefined
      ? await retryGaps(night.work, night.cost, gapTries, justRead, records === "never" ? "none" : "all")
      : [];
  summaries.pop();
  if (canGoOn && stop.reason === undefined && sample > 0) await crossCheck(night.work, abiWatch, own.ledgerVersion, sample);
  const { tally } = abiWatch;
  const report = reportHead(night.head, night.before, version, clock.now());
  const ofRun = {
    ...night.cost.extend(own),
    ...(tally.compared > 0 ? { abis: tally } : {}),
    // Where the night was held already, a node that stands still since is no news.
    head: { ...report, isStale: report.isStale && !isTaken },
  };
  // The run's own snapshot stays the last, and has what is to be said of the run.
  summaries.push(...retried, await withAges(night, ofRun));
  return true;
}

async function isWantedTonight(night: Night, pin: Pin): Promise<boolean> {
  const { store, clock } = night.work;
  return isTonights(pin, night.request, night.head, night.before, clock.now(), await store.othersAt(pin.ledgerVersion));
}

/** Reads what is left of a snapshot that an earlier run began, and the rest of tonight's accounts if it is tonight's. */
async function finish(night: Night, pin: Pin, isTonights: boolean): Promise<SyncSummary> {
  const { store, node, log } = night.work;
  const { ledgerVersion } = pin;
  const { oldestVersion, ledgerVersion: newest } = night.head;
  // What was chosen for a budget is not widened: the next night chooses anew.
  const isWhole = isTonights && pin.passedOver === undefined;
  const rest = {
    scope: isWhole ? await scopeOf(store, night.request.scope) : [],
    records: await recordsToRead(store, night.request.records, night.head, ledgerVersion),
  };
  const isReadable = ledgerVersion >= oldestVersion;
  if ((!isReadable || ledgerVersion > newest) && (await store.othersAt(ledgerVersion)) > 0) throw WorkerError.pruned(ledgerVersion, node);
  if (isReadable) {
    const others = await store.withLease("plan", (turn) => resume(night.work, turn, ledgerVersion, rest));
    const message =
      others > 0
        ? `joining ${others === 1 ? "another worker" : `${others} other workers`} at ledger version ${ledgerVersion}`
        : `resuming the snapshot of ledger version ${ledgerVersion}, begun ${new Date(pin.createdAt).toISOString()}`;
    log("info", message, { ledger_version: ledgerVersion });
    return readSummed(night, ledgerVersion, others === 0);
  }
  log(
    "warn",
    `the node pruned up to ${oldestVersion} before the snapshot of ledger version ${ledgerVersion} was finished; sealing what was read`,
    { ledger_version: ledgerVersion, oldest_version: oldestVersion },
  );
  const message = `ledger version ${ledgerVersion} was pruned before the account was read; the node's oldest is ${oldestVersion}`;
  await sealPruned(night.work, ledgerVersion, message);
  return night.cost.summarize(ledgerVersion, { ...NOTHING_READ, isLost: true }, true);
}

/** Plans again the accounts that an open snapshot gave up or lacks, unless others are reading it. Returns how many. */
async function resume({ store }: RunWork, turn: LeasedStore, version: bigint, { scope, records }: Rest): Promise<number> {
  const others = await store.othersAt(version);
  // Said before the turn ends, so that whoever comes next finds this process there.
  await store.announceVersion(version);
  if (others > 0) return others;
  if ((await turn.findPin(version))?.status === "unsealed") await turn.retryMisses(version, records);
  await turn.extendPin(version, scope, records);
  return 0;
}

/** Whether the night that this run was started for is held, having been begun a short time ago. */
async function isTakenAlready({ work, request, before }: Night): Promise<boolean> {
  const { unlessWithinMs, version } = request;
  const { newestSealed } = before;
  if (unlessWithinMs === undefined || newestSealed === undefined || version.kind === "exact") return false;
  const pin = await work.store.findPin(newestSealed);
  return pin !== undefined && work.clock.now() - pin.createdAt < unlessWithinMs;
}

async function leaveAsHeld({ work, cost, before }: Night): Promise<SyncSummary> {
  const held = before.newestSealed as bigint;
  work.log("info", `ledger version ${held} was started within --unless-within; not starting another`, { ledger_version: held });
  return cost.summarize(held, NOTHING_READ, false);
}

/** Takes the run's own snapshot, or reads what a held one lacks. */
async function take(first: Night): Promise<SyncSummary> {
  const { work, cost, request, before } = first;
  const { store, node, log } = work;
  const head = node.lastHead() ?? first.head;
  const night = { ...first, head };
  const ledgerVersion = chooseTonights(head, request, before);
  if (ledgerVersion === undefined) {
    const held = before.newestSealed as bigint;
    const message = `the node's newest version is ${head.ledgerVersion}, and ledger version ${held} is held: there is nothing newer to read`;
    log("warn", message, { head_version: head.ledgerVersion, held_version: held });
    return cost.summarize(held, NOTHING_READ, false);
  }
  const records = await recordsToRead(store, request.records, head, ledgerVersion);
  const chosen = mayChoose(request, before)
    ? await chooseTargets(work, request, { head, ledgerVersion, records, elapsedMs: cost.elapsedMs() })
    : undefined;
  const rest = { scope: chosen?.accounts ?? (await scopeOf(store, request.scope)), records };
  const start = await store.withLease("plan", (turn) => begin(night, turn, ledgerVersion, rest, chosen?.passedOver));
  if (start.kind === "joined") {
    log("info", `joining the other workers at ledger version ${start.ledgerVersion}`, { ledger_version: start.ledgerVersion });
    return readSummed(night, start.ledgerVersion, false);
  }
  if (start.kind === "pinned") {
    const fewerThan = warnOfFewer(night, start.planned + (chosen?.passedOver ?? 0));
    return {
      ...(await readSummed(night, ledgerVersion, false)),
      isFirst: before.newestSealed === undefined,
      ...(fewerThan === undefined ? {} : { fewerThan }),
      ...(chosen === undefined ? {} : { outlook: chosen.outlook }),
    };
  }
  const facts = { ledger_version: ledgerVersion, accounts: start.lacking };
  if (start.lacking > 0) {
    log("info", `ledger version ${ledgerVersion} is stored already; reading its missing accounts`, facts);
    return readSummed(night, ledgerVersion, true);
  }
  await store.announceVersion(undefined);
  const { unreadRecords } = await store.snapshotCounts(ledgerVersion);
  if (records === "all" && unreadRecords > 0) {
    const message = `ledger version ${ledgerVersion} is held already, but without the records of ${plural(unreadRecords, "account")}, which were left out when it was read. A sealed snapshot is not read again for them: the next one of a newer version reads them, unless --records leaves them out`;
    log("warn", message, { ...facts, records_unread: unreadRecords });
  } else log("info", `ledger version ${ledgerVersion} is stored already; nothing to read`, facts);
  return cost.summarize(ledgerVersion, NOTHING_READ, false);
}

/** `passedOver` counts the targets left out by choice; undefined when the scope is all that was asked for. */
async function begin(
  night: Night,
  turn: LeasedStore,
  ledgerVersion: bigint,
  { scope, records }: Rest,
  passedOver: number | undefined,
): Promise<SnapshotStart> {
  const { store, clock } = night.work;
  let tonights: Pin | undefined;
  for (const pin of store.isShared ? await turn.unfinishedPins() : []) {
    if (!night.finished.has(pin.ledgerVersion) && (await isWantedTonight(night, pin))) tonights ??= pin;
  }
  const newest = store.isShared ? (await turn.sealedVersions()).at(-1) : undefined;
  // Sealed by others while this run was starting: that was the night.
  const isNew = newest !== undefined && newest > (night.before.newestSealed ?? -1n) && !night.finished.has(newest);
  if (isNew && night.request.version.kind !== "exact") return { kind: "joined", ledgerVersion: newest };
  await store.announceVersion(tonights?.ledgerVersion ?? ledgerVersion);
  if (tonights !== undefined) return { kind: "joined", ledgerVersion: tonights.ledgerVersion };
  const held = await turn.findPin(ledgerVersion);
  if (held !== undefined && held.status !== "abandoned")
    return { kind: "held", lacking: await turn.extendPin(ledgerVersion, scope, records) };
  const facts = { ...pinFacts(night.head), ledgerVersion, records, now: clock.now() };
  const { planned } = await turn.createPin(passedOver === undefined ? facts : { ...facts, passedOver }, scope);
  return { kind: "pinned", planned };
}

async function readSummed({ work, cost }: Night, version: bigint, isResumed: boolean): Promise<SyncSummary> {
  return cost.summarize(version, await readSnapshot(work, version), isResumed);
}

/** Says so when a snapshot is to have less than half the accounts of the one before; returns how many that had. */
function warnOfFewer(night: Night, planned: number): number | undefined {
  const { planned: before, newestSealed } = night.before;
  if (2 * planned >= before) return undefined;
  const why =
    night.request.scope === undefined
      ? "Accounts named by --targets or --account are read in that run alone; `movedex targets import FILE` keeps them on the list"
      : "This run was asked for these accounts alone";
  const message = `reading ${planned} accounts, where the snapshot of ledger version ${newestSealed} has ${before}. ${why}.`;
  night.work.log("warn", message, { accounts: planned, accounts_before: before });
  return before;
}

/** Adds to the summary of a night that left targets out how old what is known of them is. */
async function withAges(night: Night, summary: SyncSummary): Promise<SyncSummary> {
  const { store } = night.work;
  if (summary.passedOver === undefined || !(await store.hasTargets())) return summary;
  const timeOf = await ledgerTimes(store, night.head);
  return { ...summary, ages: await readingAges(store, timeOf, timeOf(night.head.ledgerVersion)) };
}
