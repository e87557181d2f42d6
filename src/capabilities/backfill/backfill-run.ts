import { readSnapshot } from "../../core/crawl/night/night.ts";
import type { RunTotals } from "../../core/crawl/night/run-record.ts";
import type { SnapshotWork } from "../../core/crawl/night/snapshot-reader.ts";
import { headFacts } from "../../core/crawl/night/tonight.ts";
import { signalExit } from "../../core/crawl/run/run-work.ts";
import { type RecordCadence, recordsToRead, requestsEach } from "../../core/crawl/targets/targets.ts";
import { CrawlError } from "../../core/crawl/visit/classify-failure.ts";
import { planAlone } from "../../core/db/archive/snapshots/plan.ts";
import { planQueries } from "../../core/db/archive/snapshots/plan-queries.ts";
import { readSealedVersions, snapshotQueries } from "../../core/db/archive/snapshots/snapshot-queries.ts";
import type { Address } from "../../core/move/address.ts";
import type { LedgerHead } from "../../core/node/protocol/ledger-head.ts";
import type { BackfillPoint } from "../../core/work/runs/backfill.ts";
import { recordNodeSource } from "../archival/sources.ts";
import type { RunForecast } from "../horizon/horizon-forecast.ts";
import { admit, type HorizonPart, type Job } from "./backfill-points.ts";
import { openPointRecord, pointQueries } from "./point-record.ts";

/**
 * Which of `versions` (not empty, oldest first) to read next, where accounts are inferred between equal snapshots at most `maxApart` apart
 * (undefined: any): the oldest, the farthest that is near enough to it, then middles. Each change costs a logarithm. A search cut short
 * has settled the oldest, which are lost first.
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

/** So many requests tell a node's pace: a few slow answers at the beginning must not make a plan hopeless. */
const FEW_REQUESTS = 200;

/** One run of backfill: decides what to read next, reads it, and decides again. */
export function openBackfill(work: SnapshotWork, forecast: RunForecast, request: Request) {
  const { engine, node, clock, stop, log } = work;
  const { scope, firstHead, maxRequests = Number.POSITIVE_INFINITY, records, reach, maxApart } = request;
  const [points, snapshots] = [pointQueries(engine), snapshotQueries(engine)];
  const isArchive = reach?.part === "archive";
  const each = requestsEach(records);
  const startedMs = clock.monotonic();
  const startedRequests = node.stats().requests;
  /** Accounts to read, by the snapshot before: between two snapshots they are the same. */
  const openAfter = new Map<bigint | undefined, readonly Address[]>();
  const forget = () => openAfter.clear();
  const record = openPointRecord(work, forecast, { scope, isArchive, openAt, forget });

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

  /** Milliseconds until a version is unreadable, as far as that is known. An archive prunes nothing. */
  const leftMs = (version: bigint): number | undefined => (isArchive ? undefined : forecast()?.leftMs(version, clock.now())?.expected);

  /** The time of a request: what the rate allows or, once enough were sent to tell, what they took, if that is longer. */
  function msPerRequest(): number {
    const { requests, allowedPerSecond } = node.stats();
    const sent = requests - startedRequests;
    const taken = sent < FEW_REQUESTS ? 0 : (clock.monotonic() - startedMs) / sent;
    return Math.max(taken, allowedPerSecond === null ? 0 : 1000 / allowedPerSecond);
  }

  /** The version to read next: an anchor or a middle, unless the oldest would be late then. `able` is not empty. */
  function choose(able: readonly Job[], sealed: readonly bigint[]): bigint {
    const [first] = able as [Job];
    const next = nextFromOldest(
      able.map(({ version }) => version),
      sealed,
      maxApart,
    );
    const isRising = !isArchive && (node.lastHead()?.oldestVersion ?? 0n) > firstHead.oldestVersion;
    const left = leftMs(first.version) ?? (isRising ? 0 : Number.POSITIVE_INFINITY);
    const needed = first.requests + (able.find(({ version }) => version === next)?.requests ?? 0);
    return needed * msPerRequest() >= left ? first.version : next;
  }

  /** Why a version stays unfinished, the last one. */
  let unfinished: CrawlError | undefined;

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
    if (isArchive) {
      const { planned: accounts } = await snapshots.progress(version);
      await recordNodeSource(engine, node.url, { ledgerVersion: version, accounts }, clock.now());
    }
    const found = await readSnapshot(work, version, true).catch((error: unknown) => {
      // What the node says of one version alone is not to keep the others from being read.
      if (!(error instanceof CrawlError)) throw error;
      log("warn", `ledger version ${version} stays unfinished: ${error.message}`, { ledger_version: version });
      unfinished = error;
    });
    if (found === undefined) return;
    const { isSealed, outcome } = found;
    record.counts.newBytecodes += outcome.newBytecodes;
    if (!isSealed) return;
    if (outcome.isLost)
      log("warn", `the horizon overtook ledger version ${version} while it was read; sealing what was read`, { ledger_version: version });
    await record.finish(version, outcome.isLost);
  }

  return {
    totals: (): RunTotals => {
      const exit =
        signalExit(stop.reason) ?? (record.lost.size > 0 ? "lost" : record.counts.gaps > 0 || unfinished !== undefined ? "gaps" : "done");
      return { exit, ...record.counts };
    },
    lost: record.lost as ReadonlySet<bigint>,
    recordPruned: record.recordPruned,
    /** Reads what can be saved of these versions. */
    all: async (versions: ReadonlySet<bigint>): Promise<void> => {
      const done = new Set<bigint>();
      for (;;) {
        const jobs: Job[] = [];
        for (const point of await points.backfillPoints())
          if (versions.has(point.version) && (point.state !== "lost" || isArchive) && !done.has(point.version))
            jobs.push(...(await jobOf(point)));
        // What the budget cuts off is begun all the same, and goes on in another run.
        const { able, refused } = admit(jobs, msPerRequest(), leftMs);
        await record.refuse(refused);
        if (able.length > 0 && node.stats().requests >= maxRequests) stop.request("budget");
        // A node that answered at no version is at fault itself.
        if (able.length === 0 && unfinished !== undefined && record.counts.ledgerVersion === null) throw unfinished;
        if (able.length === 0 || stop.reason !== undefined) return;
        const next = choose(able, await readSealedVersions(engine));
        done.add(next);
        await read(next);
      }
    },
  };
}
