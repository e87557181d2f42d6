import { plural } from "../../core/base/plural.ts";
import { printable } from "../../core/base/printable.ts";
import type { HeadWatch } from "../../core/crawl/horizon/head-watch.ts";
import { readSnapshot, sealPruned } from "../../core/crawl/night/night.ts";
import { askFirstOf, NO_TOTALS, type RunTotals, recordRun } from "../../core/crawl/night/run-record.ts";
import type { SnapshotWork } from "../../core/crawl/night/snapshot-reader.ts";
import { headFacts } from "../../core/crawl/night/tonight.ts";
import { signalExit } from "../../core/crawl/run/run-work.ts";
import { listScope, recordsToRead, requestsEach } from "../../core/crawl/targets/targets.ts";
import { CrawlError } from "../../core/crawl/visit/classify-failure.ts";
import { requireIndex } from "../../core/crawl/visit/visit-account.ts";
import { statusQueries } from "../../core/db/archive/read/status-queries.ts";
import { planAlone } from "../../core/db/archive/snapshots/plan.ts";
import { planQueries } from "../../core/db/archive/snapshots/plan-queries.ts";
import { readSealedVersions, snapshotQueries } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../core/move/address.ts";
import type { LedgerHead } from "../../core/node/protocol/ledger-head.ts";
import { type HorizonForecast, openForecast, type RunForecast } from "../horizon/horizon-forecast.ts";
import { admit, type Job, nextFromOldest } from "./admission.ts";
import { type BackfillRequest, type WantedVersion, wantedOf } from "./backfill-points.ts";
import { type BackfillPoint, type PointState, pointQueries } from "./point-queries.ts";

/** So many requests tell a node's pace: a few slow answers at the beginning must not make a plan hopeless. */
const FEW_REQUESTS = 200;

export type BackfillSummary = Awaited<ReturnType<typeof backfill>>;

/**
 * Takes snapshots at older versions, the oldest first, and decides after each what can be saved. Accounts whose modules are the same on
 * both sides of a version are not read but inferred, and never stored as observed.
 */
export async function backfill(work: SnapshotWork, request: BackfillRequest) {
  const { engine, node, clock, stop } = work;
  const startedMs = clock.monotonic();
  const { head } = await askFirstOf(work, "backfill");
  await snapshotQueries(engine).bindChain(head.chainId);
  let totals = (): RunTotals => ({ exit: "failed", ...NO_TOTALS });
  const night = async (watch: HeadWatch) => {
    const { wanted, maxApart } = await wantedOf(work, request, head);
    const run = await openBackfill(work, request, head, await openForecast(work, watch), maxApart);
    totals = run.totals;
    const points = await run.save(wanted);
    return {
      chainId: head.chainId,
      /** The versions asked for, and those of earlier runs that this one found pruned: oldest first, with what became of each. */
      points,
      /** How many are left though nothing stopped the run: they will be pruned before it could read them. */
      tooLate: stop.reason === undefined ? points.filter(({ state }) => state === "planned").length : 0,
      lostNow: run.lost.size,
      stoppedBy: stop.reason,
      requests: node.stats().requests,
      durationMs: clock.monotonic() - startedMs,
      exit: totals().exit,
    };
  };
  return recordRun(work, "backfill", night, () => totals());
}

/** Passes over what the node fails to say: reading tells that. */
function unlessOfIndex(error: unknown): void {
  if (error instanceof CrawlError) throw error;
}

/** One run: decides what to read next, reads it, and decides again. Takes down what becomes of each version. */
async function openBackfill(work: SnapshotWork, request: BackfillRequest, firstHead: LedgerHead, forecast: RunForecast, maxApart?: bigint) {
  const { engine, node, clock, stop, log } = work;
  const [points, snapshots, status] = [pointQueries(engine), snapshotQueries(engine), statusQueries(engine)];
  const scope = await listScope(engine, request.scope);
  const began = { ms: clock.monotonic(), requests: node.stats().requests };
  /** What the snapshots finished by this run hold, all together. */
  const counts = { ledgerVersion: null as bigint | null, accounts: 0, modules: 0, newBytecodes: 0, gaps: 0 };
  /** Versions that were lost in this run, whole or in part. */
  const lost = new Set<bigint>();
  /** Accounts to read, by the snapshot before: between two snapshots they are the same. */
  const openAfter = new Map<bigint | undefined, readonly Address[]>();
  let isAnnounced = false;
  /** Why a version stays unfinished, the last one. */
  let unfinished: CrawlError | undefined;

  const statusOf = async (version: bigint) => (await snapshots.findSnapshot(version))?.status;
  const plannedAt = async (version: bigint) => (await snapshots.progress(version)).planned;

  async function openAt(version: bigint): Promise<readonly Address[]> {
    if ((await statusOf(version)) !== undefined) return points.openAccounts(version, scope, maxApart);
    const before = (await readSealedVersions(engine)).findLast((one) => one < version);
    const open = openAfter.get(before) ?? (await points.openAccounts(version, scope, maxApart));
    openAfter.set(before, open);
    return open;
  }

  async function decide(version: bigint, state: PointState, reason: string | null, accountsRead = 0, accountsInferred = 0): Promise<void> {
    await points.decidePoint(version, { state, reason, accountsRead, accountsInferred }, clock.now());
    if (state === "lost") lost.add(version);
  }

  /** Records the state of a version by what is sealed, so that a run that died before this point ends with the same record. */
  async function settle(version: bigint): Promise<void> {
    const sealed = await statusOf(version);
    const read = sealed?.startsWith("sealed") ? (await status.snapshotCounts(version)).accounts : 0;
    const unread = (await openAt(version)).length;
    const state = sealed === "sealed_with_gaps" ? "gaps" : read > 0 ? "observed" : "inferred";
    await decide(version, state, null, read, Math.max(0, scope.length - read - unread));
  }

  /** Records a version whose snapshot was sealed; `isLost` when the horizon overtook a part of it. */
  async function finish(version: bigint, isLost: boolean): Promise<void> {
    openAfter.clear();
    const held = await status.snapshotCounts(version);
    if (held.status === "abandoned") return decide(version, "lost", "pruned before any account was read");
    await settle(version);
    counts.ledgerVersion = version;
    for (const name of ["accounts", "modules", "gaps"] as const) counts[name] += held[name];
    if (isLost) lost.add(version);
  }

  /** Seals what was read of a pruned version; the rest is lost. */
  async function giveUp(version: bigint): Promise<void> {
    const { lowest, oldest } = forecast() as HorizonForecast;
    if (version >= lowest) return decide(version, "refused", "some of the nodes behind the address have pruned it, others have not");
    const held = await statusOf(version);
    if ((await plannedAt(version)) > 0)
      await sealPruned(work, version, `ledger version ${version} was pruned before the account was read; the node's oldest is ${oldest}`);
    if (held !== undefined && held !== "abandoned") return finish(version, held === "unsealed");
    await decide(version, "lost", `pruned before it was read: the node's oldest version is ${oldest}`);
  }

  /** Gives up what is pruned. What would be before it is read stays planned: the next run may be quicker. */
  async function refuse(refused: ReadonlyMap<bigint, string>): Promise<void> {
    const pruned = [...refused].filter(([, why]) => why === "pruned");
    for (const [version] of pruned) await giveUp(version);
    if (isAnnounced || refused.size === 0) return;
    isAnnounced = true;
    const facts = { pruned: pruned.length, too_late: refused.size - pruned.length };
    const found = `${refused.size} of the versions asked for cannot be saved`;
    log("warn", `${found}: ${facts.pruned} pruned, ${facts.too_late} to be pruned before they are read`, facts);
  }

  /** The work left at a version; none when every account is observed or inferred there, or a gap, which is recorded. */
  async function jobOf(version: bigint): Promise<Job[]> {
    const [held, left] = [await statusOf(version), await plannedAt(version)];
    const accounts = left > 0 ? left : (await openAt(version)).length;
    if (left > 0 || held === "unsealed" || (accounts > 0 && held !== "sealed_with_gaps"))
      return [{ version, requests: Math.max(1, accounts) * requestsEach(request.records) }];
    await settle(version);
    return [];
  }

  /** Milliseconds until a version is unreadable, as far as that is known. */
  const leftMs = (version: bigint): number | undefined => forecast()?.leftMs(version, clock.now())?.expected;

  /** The time of a request: what the rate allows or, once enough were sent to tell, what they took, if that is longer. */
  function msPerRequest(): number {
    const { requests, allowedPerSecond } = node.stats();
    const sent = requests - began.requests;
    const taken = sent < FEW_REQUESTS ? 0 : (clock.monotonic() - began.ms) / sent;
    return Math.max(taken, allowedPerSecond === null ? 0 : 1000 / allowedPerSecond);
  }

  /** The version to read next: an anchor or a middle, unless the oldest would be late then. `able` is not empty. */
  async function choose(able: readonly Job[]): Promise<bigint> {
    const first = able[0] as Job;
    const next = nextFromOldest(able, await readSealedVersions(engine), maxApart);
    const isRising = (node.lastHead() ?? firstHead).oldestVersion > firstHead.oldestVersion;
    const left = leftMs(first.version) ?? (isRising ? 0 : Number.POSITIVE_INFINITY);
    return (first.requests + next.requests) * msPerRequest() >= left ? first.version : next.version;
  }

  async function read(version: bigint): Promise<void> {
    const head = node.lastHead() ?? firstHead;
    const accounts = await openAt(version);
    const planned = await recordsToRead(engine, request.records, head, version);
    try {
      // A node without an index is to leave no more begun than the first version.
      if (unfinished !== undefined) await requireIndex(work, version).catch(unlessOfIndex);
      await planAlone(engine, async (inside) => {
        const { findSnapshot, createSnapshot } = snapshotQueries(inside);
        const held = (await findSnapshot(version))?.status;
        if (held === undefined || held === "abandoned")
          await createSnapshot({ ...headFacts(head), ledgerVersion: version, records: planned, now: clock.now() }, accounts);
        else if (held === "unsealed") await planQueries(inside).retryGaps(version, planned);
        else await planQueries(inside).extendSnapshot(version, accounts, planned);
      });
      const { isSealed, outcome } = await readSnapshot(work, version, true);
      counts.newBytecodes += outcome.newBytecodes;
      const facts = { ledger_version: version };
      if (!isSealed) {
        const { unread } = outcome;
        if (unread !== undefined && stop.reason === undefined)
          log("warn", `ledger version ${version} stays unfinished: ${unread.last}`, facts);
        return;
      }
      if (outcome.isLost) log("warn", `the horizon overtook ledger version ${version} while it was read; sealing what was read`, facts);
      await finish(version, outcome.isLost);
    } catch (error) {
      // What the node says of one version alone is not to keep the others from being read.
      if (!(error instanceof CrawlError)) throw error;
      log("warn", `ledger version ${version} stays unfinished: ${error.message}`, { ledger_version: version });
      unfinished = error;
    }
  }

  /** Gives up what earlier runs left and the node has pruned since. */
  async function recordPruned(lowest: bigint): Promise<void> {
    const isLeft = ({ version, state }: BackfillPoint) => version < lowest && (state === "planned" || state === "refused");
    const left = (await points.backfillPoints()).filter(isLeft).map(({ version }) => version);
    for (const version of left) await giveUp(version);
    if (left.length === 0) return;
    const message = `${plural(left.length, "version")} that earlier runs left and the node has pruned since: ${left.join(", ")}`;
    log("warn", printable(message, 500), { pruned_since: left.length });
  }

  /** Reads what can be saved. @returns what is recorded of the wanted versions, and of those that were lost in this run */
  async function save(wanted: readonly WantedVersion[]): Promise<BackfillPoint[]> {
    await recordPruned(forecast()?.lowest ?? 0n);
    const versions = await points.askPoints(wanted, clock.now(), maxApart);
    const done = new Set<bigint>();
    for (;;) {
      const jobs: Job[] = [];
      // What one node had pruned, another may still have.
      const oldest = forecast()?.oldest ?? 0n;
      for (const { version, state } of await points.backfillPoints())
        if (versions.has(version) && (state !== "lost" || version >= oldest) && !done.has(version)) jobs.push(...(await jobOf(version)));
      // What the budget cuts off is begun all the same, and goes on in another run.
      const { able, refused } = admit(jobs, msPerRequest(), leftMs);
      await refuse(refused);
      if (able.length > 0 && node.stats().requests >= (request.maxRequests ?? Number.POSITIVE_INFINITY)) stop.request("budget");
      // A node that answered at no version is at fault itself.
      if (able.length === 0 && unfinished !== undefined && counts.ledgerVersion === null) throw unfinished;
      if (able.length === 0 || stop.reason !== undefined) break;
      const next = await choose(able);
      done.add(next);
      await read(next);
    }
    return (await points.backfillPoints()).filter(({ version }) => versions.has(version) || lost.has(version));
  }

  const totals = (): RunTotals => {
    const own = lost.size > 0 ? "lost" : counts.gaps > 0 || unfinished !== undefined ? "gaps" : "done";
    return { exit: signalExit(stop.reason) ?? own, ...counts };
  };
  return { save, lost, totals };
}
