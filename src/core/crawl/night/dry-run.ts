import { statusQueries } from "../../db/archive/read/status-queries.ts";
import { gapQueries } from "../../db/archive/snapshots/gaps.ts";
import type { PlanRecords } from "../../db/archive/snapshots/plan.ts";
import { planQueries } from "../../db/archive/snapshots/plan-queries.ts";
import { snapshotQueries } from "../../db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../db/engine/engine.ts";
import type { Address } from "../../move/address.ts";
import { runQueries } from "../../work/runs/runs.ts";
import { askFirst, type FirstQuestions } from "../check/first-answer.ts";
import { chooseTargets } from "../targets/choice.ts";
import { frameworkAccounts, recordsToRead, requestsEach, scopeOf } from "../targets/targets.ts";
import { chooseTonights, isTonights as isOfTonight, mayChoose, readPriorState, type SyncRequest } from "./tonight.ts";
import { firstWait } from "./wait-for-version.ts";

type Pace = { readonly name: string; readonly perSecond: number };

export type DryRun = Awaited<ReturnType<typeof dryRun>>;

/** An unfinished snapshot: it would be resumed, or sealed if pruned. With `isTonights`, no new one would be taken. */
type Unfinished = {
  readonly ledgerVersion: bigint;
  readonly accountsLeft: number;
  readonly isPruned: boolean;
  readonly isTonights: boolean;
};

/**
 * Sends the first requests of a run to find out what `sync` would read; writes nothing. The first of `paces` is the requested one.
 * `engine` is undefined where there is no database yet.
 */
export async function dryRun(
  questions: FirstQuestions & { readonly pageSize: number | undefined },
  request: SyncRequest,
  paces: readonly Pace[],
) {
  const { head } = await askFirst({ ...questions, isPlan: true });
  const { node, engine, clock } = questions;
  const { requests, retries } = node.stats();
  const before = await readPriorState(engine);
  const night = { request, head, before };
  const wait = firstWait(night, clock.now(), 0);
  const wanted = wait !== undefined && wait.waitMs <= wait.allowedMs ? head.ledgerVersion : chooseTonights(night);
  const ledgerVersion = wanted ?? (before.newestSealed as bigint);
  const recordsAt = (version: bigint): Promise<PlanRecords> => recordsToRead(engine, request.records, head, version);
  const unfinished: Unfinished[] = [];
  let resumed = { accounts: 0, requests: 0 };
  for (const snapshot of (await (engine && snapshotQueries(engine).unfinishedSnapshots())) ?? []) {
    const { ledgerVersion } = snapshot;
    const isTonights = isOfTonight(night, snapshot, clock.now());
    const isPruned = ledgerVersion < head.oldestVersion;
    const { left, requestsLeft } = await statusQueries(engine as Engine).snapshotCounts(ledgerVersion);
    // What was chosen for a budget is not widened.
    const isWidened = isTonights && snapshot.passedOver === undefined;
    const lacking = isWidened ? await visitCost(engine, ledgerVersion, request.scope, await recordsAt(ledgerVersion)) : undefined;
    const accountsLeft = left + (lacking?.accounts ?? 0);
    unfinished.push({ ledgerVersion, accountsLeft, isPruned, isTonights });
    if (!isPruned)
      resumed = { accounts: resumed.accounts + accountsLeft, requests: resumed.requests + requestsLeft + (lacking?.requests ?? 0) };
  }
  const held = await (engine && snapshotQueries(engine).findSnapshot(ledgerVersion));
  const isHeld = held !== undefined && held.status !== "abandoned";
  const isNew = wanted !== undefined && !unfinished.some(({ isTonights }) => isTonights);
  const records = await recordsAt(ledgerVersion);
  const chosen =
    isNew && mayChoose(night) ? await chooseTargets(questions, request, { head, ledgerVersion, records, elapsedMs: 0 }) : undefined;
  const own = isNew ? await visitCost(engine, ledgerVersion, chosen?.accounts ?? request.scope, records) : { accounts: 0, requests: 0 };
  const { accounts } = own;
  const others = engine === undefined ? 0 : await retriedCost(engine, request, head.oldestVersion, ledgerVersion);
  const requestsAtLeast = requests - retries + resumed.requests + own.requests + others;
  return {
    chainId: head.chainId,
    /** The version that would be read, not counting those of unfinished snapshots; where a run would wait, the newest that is heard now. */
    ledgerVersion,
    /** Whether there is a snapshot of that version, of which only missing accounts would be read. */
    isHeld,
    /** Accounts that would be read there; none when an unfinished snapshot would be finished instead. */
    accounts,
    /** Where the budget does not suffice for all targets: how many it would leave out, and what nights like it come to. */
    passedOver: chosen?.passedOver,
    outlook: chosen?.outlook,
    /**
     * The least requests of a run: its beginning, one page of modules for each account, records to read, and gaps to try
     * again. Some accounts need more pages.
     */
    requestsAtLeast,
    /** How long that takes: at the rate asked for, where it has a limit, and at others that could be had. */
    times: paces
      .filter(({ perSecond }) => perSecond > 0)
      .map((pace) => ({ ...pace, durationMs: (requestsAtLeast * 1000) / pace.perSecond })),
    /** Undefined before the first run on this database. */
    bytes: await expectedBytes(engine, accounts + resumed.accounts),
    /** Versions between the horizon and the pin. */
    aboveHorizon: ledgerVersion - head.oldestVersion,
    unfinished,
  };
}

/** Requests for the gaps of sealed snapshots that would be tried again. */
async function retriedCost(engine: Engine, { gapTries = 0, records }: SyncRequest, oldest: bigint, own: bigint): Promise<number> {
  const states = gapTries === 0 ? [] : await gapQueries(engine).gapStates(gapTries);
  const open = states
    .filter(({ ledgerVersion }) => ledgerVersion >= oldest && ledgerVersion !== own)
    .reduce((sum, gap) => sum + gap.open, 0);
  return open * requestsEach(records);
}

const RUNS_BACK = 50;

/**
 * What a snapshot reads of `requested`, else of the stored targets, else of the framework accounts: the accounts without an answer at
 * this version, and the requests for them, each with one page of modules and its record if `records` says so.
 */
async function visitCost(engine: Engine | undefined, version: bigint, requested: readonly Address[] | undefined, records: PlanRecords) {
  if (engine === undefined) {
    const accounts = new Set(requested ?? frameworkAccounts).size;
    return { accounts, requests: records === "none" ? accounts : 2 * accounts };
  }
  const planned = await planQueries(engine).countPlan(version, await scopeOf(engine, requested), records);
  return { accounts: planned.accounts, requests: planned.accounts + planned.records };
}

/** Bytes to expect for `accounts`; undefined while no run has read any, since accounts differ too much to say it beforehand. */
async function expectedBytes(engine: Engine | undefined, accounts: number) {
  if (engine === undefined) return undefined;
  const runs = (await runQueries(engine).listRuns(RUNS_BACK)).filter(({ command, accounts }) => command === "sync" && (accounts ?? 0) > 0);
  const [newest] = runs;
  if (newest === undefined || newest.accounts === null) return undefined;
  // A snapshot that was read in several runs: each has its own bytes, the last one all accounts.
  const bytes = runs
    .filter(({ ledgerVersion }) => ledgerVersion === newest.ledgerVersion)
    .reduce((sum, { bytesReceived }) => sum + (bytesReceived ?? 0), 0);
  const { fileBytes, accounts: held } = await statusQueries(engine).holdings();
  const missing = Math.max(0, accounts - held);
  return {
    /** Bytes of answers. */
    received: Math.round((bytes / newest.accounts) * accounts),
    /** Bytes that the database grows by; 0 where all accounts are held, since then it grows by what changed alone. */
    stored: Math.round((fileBytes / Math.max(newest.accounts, held)) * missing),
    judgedBy: newest.accounts,
  };
}
