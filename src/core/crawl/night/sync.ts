import { plural } from "../../base/plural.ts";
import { printable } from "../../base/printable.ts";
import { sourceQueries } from "../../db/archive/nodes/sources.ts";
import { statusQueries } from "../../db/archive/read/status-queries.ts";
import { claimQueries } from "../../db/archive/snapshots/claims.ts";
import { gapQueries } from "../../db/archive/snapshots/gaps.ts";
import { planQueries } from "../../db/archive/snapshots/plan-queries.ts";
import { type Snapshot, snapshotQueries } from "../../db/archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../db/engine/engine.ts";
import { NodeError } from "../../node/protocol/node-error.ts";
import { readingAges, recordsToRead, requestsEach, scopeOf, targetQueries } from "../targets/targets.ts";
import { CrawlError, isSpent, mayBeOfVersion } from "../visit/classify-failure.ts";
import { KEPT_ASIDE } from "./fate.ts";
import { addCost, countCost, type Night, readSummed, sealPruned, summarize, withoutVersion } from "./night.ts";
import { isTooLate, skipSnapshot, takeSnapshot } from "./own-snapshot.ts";
import { NOTHING_READ } from "./progress.ts";
import { askFirstOf, recordRun } from "./run-record.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import { leftWords, type SyncSummary, totalsOf, unreadOf, withFailing } from "./summary.ts";
import { isTonights, readPriorState, reportHead, type SyncRequest } from "./tonight.ts";

/** Reads what is left of a snapshot that an earlier run began, and the rest of tonight's accounts if it is tonight's. */
async function resumeSnapshot(night: Night, snapshot: Snapshot, isTonights: boolean): Promise<SyncSummary> {
  const { engine, node, clock, log } = night.work;
  const { ledgerVersion } = snapshot;
  const { oldestVersion, ledgerVersion: newest } = night.head;
  // What was chosen for a budget is not widened: the next night chooses anew.
  const scope = isTonights && snapshot.passedOver === undefined ? await scopeOf(engine, night.request.scope) : [];
  const records = await recordsToRead(engine, night.request.records, night.head, ledgerVersion);
  const isReadable = ledgerVersion >= oldestVersion;
  const left = await claimQueries(engine, { now: clock.now }).accountsLeft(ledgerVersion);
  const isShared = left.claimed > 0;
  if ((!isReadable && left.reserved > 0) || (ledgerVersion > newest && isShared)) throw withoutVersion(ledgerVersion, node, left);
  if (ledgerVersion > newest) await (await import("./wait-for-version.ts")).awaitVersion(night, ledgerVersion);
  if (isReadable) {
    // Others that read it have planned what they want.
    if (!isShared) await planQueries(engine).extendSnapshot(ledgerVersion, scope, records);
    if (!isShared && snapshot.status === "unsealed") await planQueries(engine).retryGaps(ledgerVersion, records);
    const message = isShared
      ? `joining other processes at ledger version ${ledgerVersion}, which have ${plural(left.claimed, "account")} in hand; what those leave that have ended is free by ${new Date(left.claimedUntil ?? 0).toISOString().slice(11, 19)} UTC`
      : `resuming the snapshot of ledger version ${ledgerVersion}, begun ${new Date(snapshot.createdAt).toISOString()}`;
    log("info", message, { ledger_version: ledgerVersion });
    return readSummed(night, ledgerVersion, !isShared, !isTonights);
  }
  log(
    "warn",
    `the node pruned up to ${oldestVersion} before the snapshot of ledger version ${ledgerVersion} was finished; sealing what was read`,
    { ledger_version: ledgerVersion, oldest_version: oldestVersion },
  );
  const message = `ledger version ${ledgerVersion} was pruned before the account was read; the node's oldest is ${oldestVersion}`;
  await sealPruned(night.work, ledgerVersion, message);
  return summarize(night, ledgerVersion, { ...NOTHING_READ, isLost: true }, true);
}

/** The summary of an earlier run's snapshot of which the node answers for no account: a later run tries it again, if any is left. */
async function leaveUnfinished(night: Night, version: bigint, { message }: Error): Promise<SyncSummary> {
  const summary = await summarize(night, version, NOTHING_READ, true);
  night.work.log("warn", `the snapshot of ledger version ${version} ${leftWords(summary)}: ${message}`);
  return { ...summary, unread: { attempts: summary.requests, last: printable(message.replace(/\.$/, ""), 300) } };
}

/**
 * Reads the gaps of earlier snapshots again at their versions, oldest first, until each account was tried as often as the run was
 * asked to; not those of snapshots that this run has read. A failure ends only this step.
 */
async function retryGaps(night: Night, own: bigint): Promise<SyncSummary[]> {
  const { engine, node, stop, log } = night.work;
  const { gapTries: tries = 0, records } = night.request;
  const justRead = new Set([own, ...night.summaries.map(({ ledgerVersion }) => ledgerVersion)]);
  const summaries: SyncSummary[] = [];
  for (const { ledgerVersion, open } of tries === 0 ? [] : await gapQueries(engine).gapStates(tries)) {
    const { oldestVersion, ledgerVersion: newest } = node.lastHead() ?? night.head;
    // Begun without any, it would take the next night's.
    if (stop.reason !== undefined || node.requestsLeft() < requestsEach(records) + KEPT_ASIDE) break;
    if (open === 0 || ledgerVersion < oldestVersion || ledgerVersion > newest || justRead.has(ledgerVersion)) continue;
    const gaps = await gapQueries(engine).openGaps(ledgerVersion, tries);
    const planned = await planQueries(engine).extendSnapshot(ledgerVersion, gaps, records === "never" ? "none" : "all");
    try {
      const summary = await readSummed(night, ledgerVersion, true, true);
      const left = await statusQueries(engine).listGaps({ ledgerVersion, limit: summary.gaps });
      const unanswered = new Set<string>(left.map(({ address }) => address));
      summaries.push({ ...summary, retried: { gaps: planned, filled: gaps.filter((address) => !unanswered.has(address)) } });
    } catch (error) {
      if (!(error instanceof NodeError) && !(error instanceof CrawlError)) throw error;
      log("warn", `the gaps of ledger version ${ledgerVersion} could not be tried again: ${error.message}`, {
        ledger_version: ledgerVersion,
      });
      // What the node says of one version alone is not to keep the gaps of others.
      if (error instanceof NodeError) break;
    }
  }
  return summaries;
}

/**
 * The night: pin → visit every target → store → seal. Unfinished snapshots come first, then the version asked for, then the gaps
 * of earlier ones. @returns a summary per snapshot, the run's own last
 */
export async function sync(surroundings: SnapshotWork, request: SyncRequest): Promise<SyncSummary[]> {
  const { engine, node, clock, stop } = surroundings;
  const cost = countCost(surroundings);
  const { head, value } = await askFirstOf(surroundings, "sync");
  const before = await readPriorState(engine);
  const { gitHash } = value;
  const night: Night = { work: surroundings, cost, request, head, before, finished: new Set(), summaries: [] };
  const ranFor = () => {
    const { requests } = node.stats();
    const isTimeSpent = requests < (request.budget?.maxRequests ?? Number.POSITIVE_INFINITY);
    return { requests, isTimeSpent, elapsedMs: cost.elapsedMs() };
  };
  await recordRun(
    surroundings,
    "sync",
    async () => {
      if (request.budget?.maxRequests !== undefined) node.keepAside(KEPT_ASIDE);
      const isWhole = await readAll(night).catch((error: unknown) => {
        if (!isSpent(error) || night.summaries.length === 0) throw error;
        stop.request("budget");
        return false;
      });
      const last = night.summaries.pop();
      const summary = last && { ...last, stoppedBy: stop.reason };
      if (summary !== undefined)
        night.summaries.push(withFailing(summary, node.failures(), ranFor(), unreadOf([...night.summaries, summary])));
      if (!isWhole) return;
      await sourceQueries(engine).recordBuild({ node: node.url, gitHash }, clock.now());
    },
    () => totalsOf(night.summaries),
  );
  return withUndecoded(engine, night.summaries);
}

/** Adds to the run's own summary how many modules of its snapshot cannot be decoded: known once rows are derived. */
async function withUndecoded(engine: Engine, summaries: SyncSummary[]): Promise<SyncSummary[]> {
  const last = summaries.at(-1);
  const undecoded = last === undefined || last.status === "unsealed" ? 0 : await statusQueries(engine).undecodedModules(last.ledgerVersion);
  return last === undefined || undecoded === 0 ? summaries : [...summaries.slice(0, -1), { ...last, undecoded }];
}

/**
 * Reads what earlier runs began, in this order. @returns those after one of which the node answers for nothing: what they cost might not
 * be there for the night's own
 */
async function readOld(night: Night, snapshots: readonly Snapshot[]): Promise<readonly Snapshot[]> {
  for (const [i, snapshot] of snapshots.entries()) {
    const summary = await resumeSnapshot(night, snapshot, false).catch((error: unknown) => {
      if (!mayBeOfVersion(error)) throw error;
      return leaveUnfinished(night, snapshot.ledgerVersion, error);
    });
    night.summaries.push(summary);
    if (night.work.stop.reason !== undefined) return [];
    if (summary.unread !== undefined && summary.status === "unsealed") return snapshots.slice(i + 1);
    night.finished.add(snapshot.ledgerVersion);
  }
  return [];
}

/** Reads the run's own snapshot, which a run before it may have begun. @returns undefined where it is stopped before */
async function readOwn(night: Night, begun: Snapshot | undefined): Promise<SyncSummary | undefined> {
  const { stop } = night.work;
  if (begun !== undefined) {
    const own = await resumeSnapshot(night, begun, true);
    // One that was pruned meanwhile is not tonight's any more.
    if (own.status !== "unsealed" || stop.reason !== undefined) return own;
    night.summaries.push(own);
    night.finished.add(begun.ledgerVersion);
  }
  const isLate = await isTooLate(night);
  const heard = !isLate && night.request.lag > 0n ? await (await import("./wait-for-version.ts")).hearVersion(night) : undefined;
  if (stop.reason !== undefined && night.summaries.length > 0) return undefined;
  return isLate ? await skipSnapshot(night) : await takeSnapshot(night, heard);
}

/** Reads all that the run is to read. @returns whether it came to its own snapshot, and was not stopped before */
async function readAll(night: Night): Promise<boolean> {
  const { work, summaries, cost } = night;
  const { engine, clock, stop } = work;
  // What the node prunes first comes first.
  const unfinished = (await snapshotQueries(engine).unfinishedSnapshots()).toReversed();
  const begun = unfinished.findLast((snapshot) => isTonights(night, snapshot, clock.now()));
  let waiting = await readOld(
    night,
    unfinished.filter((snapshot) => snapshot !== begun),
  );
  if (stop.reason !== undefined && summaries.length > 0) return false;
  const own = await readOwn(night, begun);
  if (own === undefined) return false;
  const isWhole = own.status !== "unsealed" && own.sealedBy === undefined;
  while (isWhole && stop.reason === undefined && waiting.length > 0) waiting = await readOld(night, waiting);
  if (isWhole && stop.reason === undefined) summaries.push(...(await retryGaps(night, own.ledgerVersion)));
  const ofRun = {
    ...own,
    ...addCost(own, cost.since()),
    stoppedBy: stop.reason,
    head: reportHead(night, clock.now()),
  };
  // The run's own snapshot is the last, and has what is to be said of the run.
  summaries.push(await withAges(night, ofRun));
  return true;
}

/** Adds to the summary of a night that left targets out how old what is known of them is. */
async function withAges({ work: { engine }, head }: Night, summary: SyncSummary): Promise<SyncSummary> {
  if (summary.passedOver === undefined || !(await targetQueries(engine).hasTargets())) return summary;
  return { ...summary, ages: await readingAges(engine, head) };
}
