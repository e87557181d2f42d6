import { sourceQueries } from "../../archive/nodes/sources.ts";
import { planAlone } from "../../archive/snapshots/plan.ts";
import { planQueries } from "../../archive/snapshots/plan-queries.ts";
import { readSealedVersions, snapshotQueries } from "../../archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../move/address.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { type BackfillPoint, backfillQueries } from "../../work/runs/backfill.ts";
import type { HeadWatch } from "../horizon/horizon-forecast.ts";
import { readSnapshot } from "../night/night.ts";
import type { RunTotals } from "../night/run-record.ts";
import type { SnapshotWork } from "../night/snapshot-reader.ts";
import { headFacts } from "../night/tonight.ts";
import { signalExit } from "../run/run-work.ts";
import { type RecordCadence, recordsToRead, requestsEach } from "../targets/targets.ts";
import type { HorizonPart } from "./backfill-points.ts";
import { type Job, type Means, msPerRequest, planJobs } from "./jobs.ts";
import { openPointRecord } from "./point-record.ts";

/**
 * Which of `versions` (not empty, oldest first) to read next: the outermost without a snapshot beyond it, then the middle of the
 * widest stretch. Between two snapshots that differ this costs a logarithm for each change.
 */
export function nextByHalving(versions: readonly bigint[], sealed: readonly bigint[]): bigint {
  const [first, last] = [versions[0] as bigint, versions.at(-1) as bigint];
  if (!sealed.some((version) => version <= first)) return first;
  if (!sealed.some((version) => version >= last)) return last;
  let best = first;
  let widest = -1n;
  for (const [index, from] of sealed.entries()) {
    const to = sealed[index + 1] ?? last;
    const inside = versions.filter((version) => version >= from && version <= to);
    if (inside.length === 0 || to - from <= widest) continue;
    widest = to - from;
    best = inside[Math.floor(inside.length / 2)] as bigint;
  }
  return best;
}

/**
 * Which of `versions` (not empty, oldest first) to read next where the oldest are lost first and accounts are inferred between
 * equal snapshots at most `maxApart` apart (undefined: any). A search cut short has settled the oldest.
 */
export function nextFromOldest(versions: readonly bigint[], sealed: readonly bigint[], maxApart: bigint | undefined): bigint {
  const first = versions[0] as bigint;
  const before = sealed.findLast((version) => version < first);
  if (before === undefined) return first;
  const after = sealed.find((version) => version > first);
  const isNear = (version: bigint): boolean => maxApart === undefined || version - before <= maxApart;
  const between = versions.filter((version) => isNear(version) && (after === undefined || version < after));
  const next = after !== undefined && isNear(after) ? between[between.length >> 1] : between.at(-1);
  return next ?? first;
}

type Request = {
  readonly scope: readonly Address[];
  readonly firstHead: Pick<LedgerHead, "oldestVersion">;
  /** How many versions two snapshots may be apart between which accounts are inferred; undefined for any distance. */
  readonly maxApart: bigint | undefined;
  readonly maxRequests: number | undefined;
  readonly records: RecordCadence | undefined;
  readonly reach: HorizonPart | undefined;
};

/** One run of backfill: decides what to read next, reads it, and decides again. */
export function openBackfill(work: SnapshotWork, watch: HeadWatch, request: Request) {
  const { engine, node, clock, stop, log } = work;
  const { scope, firstHead, maxRequests = Number.POSITIVE_INFINITY, records, reach } = request;
  const [points, snapshots] = [backfillQueries(engine), snapshotQueries(engine)];
  const each = requestsEach(records);
  const isArchive = reach?.part === "archive";
  const startedMs = clock.monotonic();
  const startedRequests = node.stats().requests;
  /** Accounts to read, by the snapshot before: between two snapshots they are the same. */
  const openAfter = new Map<bigint | undefined, readonly Address[]>();
  let { maxApart } = request;
  const forget = () => openAfter.clear();
  const record = openPointRecord(work, watch, { scope, isArchive, openAt, forget });

  async function openAt(version: bigint): Promise<readonly Address[]> {
    if ((await snapshots.findSnapshot(version)) !== undefined) return points.openAccounts(version, scope, maxApart);
    const before = (await readSealedVersions(engine)).findLast((one) => one < version);
    const open = openAfter.get(before) ?? (await points.openAccounts(version, scope, maxApart));
    openAfter.set(before, open);
    return open;
  }

  /** The work left at a version; none when every account is observed or inferred there, which is recorded. */
  async function jobOf({ version }: BackfillPoint): Promise<Job[]> {
    const left = (await snapshots.progress(version)).planned;
    const accounts = left > 0 ? left : (await openAt(version)).length;
    const status = (await snapshots.findSnapshot(version))?.status;
    const isSettled = accounts === 0 || (status === "sealed_with_gaps" && left === 0);
    if (!isSettled || (status === "unsealed" && left === 0)) return [{ version, requests: Math.max(1, accounts) * each }];
    await record.settle(version);
    return [];
  }

  function meansNow(): Means {
    const { requests, allowedPerSecond } = node.stats();
    const allowedMs = allowedPerSecond === null ? 0 : 1000 / allowedPerSecond;
    const sent = { requests: requests - startedRequests, elapsedMs: clock.monotonic() - startedMs, allowedMs };
    const forecast = watch.forecast();
    const now = clock.now();
    // What the budget cuts off is begun all the same, and goes on in another run. An archive prunes nothing.
    return {
      msPerRequest: msPerRequest(sent, work.concurrency),
      budget: Number.POSITIVE_INFINITY,
      leftMs: (version) => (isArchive ? undefined : forecast?.leftMs(version, now)),
    };
  }

  /** The version to read next: an anchor or a middle, unless the oldest would be late then. `order` is not empty. */
  function choose(order: readonly Job[], sealed: readonly bigint[], { msPerRequest, leftMs }: Means): bigint {
    const able = order.map(({ version }) => version);
    if (isArchive) return nextByHalving(able, sealed);
    const next = nextFromOldest(able, sealed, maxApart);
    const [first] = order as [Job];
    const isRising = (node.lastHead()?.oldestVersion ?? 0n) > firstHead.oldestVersion;
    const left = leftMs(first.version)?.expected ?? (isRising ? 0 : Number.POSITIVE_INFINITY);
    const needed = first.requests + (order.find(({ version }) => version === next)?.requests ?? 0);
    return needed * msPerRequest > left ? first.version : next;
  }

  async function read(version: bigint): Promise<void> {
    const head = node.lastHead();
    if (head === undefined) return;
    const snapshot = await snapshots.findSnapshot(version);
    const accounts = snapshot?.status === "unsealed" ? [] : await openAt(version);
    const planned = await recordsToRead(engine, records, head, version);
    await planAlone(engine, async (inside) => {
      const held = await snapshotQueries(inside).findSnapshot(version);
      if (held === undefined || held.status === "abandoned")
        await snapshotQueries(inside).createSnapshot(
          { ...headFacts(head), ledgerVersion: version, records: planned, now: clock.now() },
          accounts,
        );
      else if (held.status === "unsealed") await planQueries(inside).retryGaps(version, planned);
      else await planQueries(inside).extendSnapshot(version, accounts, planned);
    });
    if (isArchive)
      await sourceQueries(engine).recordNodeSource(node.url, version, (await snapshots.progress(version)).planned, clock.now());
    const { isSealed, outcome } = await readSnapshot(work, version);
    record.counts.newBytecodes += outcome.newBytecodes;
    if (!isSealed) return;
    if (outcome.isLost)
      log("warn", `the horizon overtook ledger version ${version} while it was read; sealing what was read`, { ledger_version: version });
    await record.finish(version, outcome.isLost);
  }

  return {
    totals: (): RunTotals => {
      const exit = signalExit(stop.reason) ?? (record.lost.size > 0 ? "lost" : record.counts.gaps > 0 ? "gaps" : "done");
      return { exit, ...record.counts };
    },
    lost: record.lost as ReadonlySet<bigint>,
    recordPruned: record.recordPruned,
    /** Reads what can be saved of these versions. `learnApart` is asked once the oldest is safe, where the ledger's pace is not known. */
    all: async (versions: ReadonlySet<bigint>, learnApart?: () => Promise<bigint | undefined>): Promise<void> => {
      const done = new Set<bigint>();
      for (;;) {
        if (learnApart !== undefined && done.size === 1 && stop.reason === undefined) {
          maxApart = await learnApart();
          forget();
        }
        const jobs: Job[] = [];
        for (const point of await points.backfillPoints())
          if (versions.has(point.version) && (point.state !== "lost" || isArchive) && !done.has(point.version))
            jobs.push(...(await jobOf(point)));
        const means = meansNow();
        const { order, refused } = planJobs(jobs, means);
        await record.refuse(jobs, refused, means);
        if (order.length > 0 && node.stats().requests >= maxRequests) stop.request("budget");
        if (order.length === 0 || stop.reason !== undefined) return;
        const next = choose(order, await readSealedVersions(engine), means);
        done.add(next);
        await read(next);
      }
    },
  };
}
