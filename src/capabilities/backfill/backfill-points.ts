import type { LedgerTime } from "../../core/crawl/horizon/ledger-time.ts";
import { ConfigError } from "../../core/errors.ts";

/** One end of the range to backfill: a version, a number of versions below the newest, or a moment (milliseconds since 1970). */
export type Edge = { readonly version: bigint } | { readonly behind: bigint } | { readonly atMs: number };

/** The distance between points: in versions, or in milliseconds. */
export type Step = { readonly versions: bigint } | { readonly ms: number };

/** Which older versions are wanted. Without `every`, `count` points are spread evenly. */
export type PointsRequest = {
  readonly every: Step | undefined;
  readonly from: Edge | undefined;
  readonly to: Edge | undefined;
  readonly count: number | undefined;
};

/** A wanted version; `wantedTime` is the moment that it represents, `timeErrorMs` how far its own time may be from that. */
export type WantedVersion = { readonly version: bigint; readonly wantedTime: number | null; readonly timeErrorMs: number | null };

export type Window = { readonly oldestVersion: bigint; readonly ledgerVersion: bigint };

/**
 * A node and its archive share the work: the node reads what it still has, the archive what is below the node's horizon. Nothing is
 * lost to a horizon there, and each of its snapshots gets a source.
 */
export type HorizonPart = { readonly part: "above" | "archive"; readonly horizon: bigint };

/** More points than this are refused as a mistake. */
const POINTS_MAX = 5_000;

/** Points that are spread evenly keep this fraction of the window away from the horizon, where the first would be pruned at once. */
const EDGE_SHARE = 200n;

/** Where the range begins when nothing says: an archive node, which reads from 0 on, prunes nothing. */
function firstOf({ every }: PointsRequest, { oldestVersion, ledgerVersion }: Window): bigint {
  const isSpread = every === undefined && oldestVersion > 0n;
  return oldestVersion + 1n + (isSpread ? (ledgerVersion - oldestVersion) / EDGE_SHARE : 0n);
}

export function needsTime({ every, from, to }: PointsRequest): boolean {
  return (every !== undefined && "ms" in every) || [from, to].some((edge) => edge !== undefined && "atMs" in edge);
}

/**
 * The wanted versions, oldest first: multiples of the step (moments since 1970 in UTC), so that another night asks for the same
 * ones. `count` takes the newest, or the first after `from`. @throws ConfigError for over 5,000 points, or an empty range
 */
export function planVersions(request: PointsRequest, window: Window, time: LedgerTime | undefined): WantedVersion[] {
  const versionOf = (edge: Edge): bigint => {
    if ("version" in edge) return edge.version;
    if ("behind" in edge) return window.ledgerVersion - edge.behind;
    return (time as LedgerTime).versionAt(edge.atMs).version;
  };
  const first = request.from === undefined ? firstOf(request, window) : versionOf(request.from);
  const wishedLast = request.to === undefined ? window.ledgerVersion : versionOf(request.to);
  const last = wishedLast > window.ledgerVersion ? window.ledgerVersion : wishedLast;
  if (first > last) {
    const { oldestVersion, ledgerVersion } = window;
    throw new ConfigError(`there is no version from ${first} to ${last}. The node has versions ${oldestVersion} to ${ledgerVersion}.`);
  }
  const points = pointsBetween(request, first, last, time);
  const { count } = request;
  if (count === undefined || points.length <= count) return points;
  return request.from === undefined ? points.slice(-count) : points.slice(0, count);
}

function pointsBetween({ every, count }: PointsRequest, first: bigint, last: bigint, time: LedgerTime | undefined): WantedVersion[] {
  if (every !== undefined && "ms" in every) return pointsInTime(every.ms, first, last, time as LedgerTime);
  const parts = BigInt(count ?? 1);
  const step = every?.versions ?? (parts > 1n ? (last - first) / (parts - 1n) : 0n);
  const begin = every === undefined ? first : ((first + step - 1n) / step) * step;
  const length = every === undefined ? parts : (last - begin + step) / step;
  assertFew(length);
  const versions = new Set(Array.from({ length: Number(length) }, (_, place) => begin + step * BigInt(place)));
  return [...versions].map((version) => ({ version, wantedTime: null, timeErrorMs: null }));
}

function pointsInTime(stepMs: number, first: bigint, last: bigint, time: LedgerTime): WantedVersion[] {
  // One version wider on both sides, since times and versions are rounded. The loop leaves out what is not in the range.
  const [from, to] = [time.timeAt(first - 1n), time.timeAt(last + 1n)];
  assertFew(BigInt(Math.floor((to - from) / stepMs)));
  const points: WantedVersion[] = [];
  for (let atMs = Math.ceil(from / stepMs) * stepMs; atMs <= to; atMs += stepMs) {
    const { version, errorMs } = time.versionAt(atMs);
    if (version < first || version > last) continue;
    if (points.at(-1)?.version !== version) points.push({ version, wantedTime: atMs, timeErrorMs: errorMs });
  }
  return points;
}

function assertFew(points: bigint): void {
  if (points > BigInt(POINTS_MAX)) {
    throw new ConfigError(
      `--every gives ${points} versions between the two ends, more than ${POINTS_MAX}. Take larger steps, or --from, --to or --count.`,
    );
  }
}

/** Whether a version is in a node's part of the work; without a part all are. */
export function isWithin(version: bigint, reach: HorizonPart | undefined): boolean {
  return reach === undefined || version < reach.horizon === (reach.part === "archive");
}

/** A wanted snapshot, and the requests that it takes to read what is left of it. */
export type Job = { readonly version: bigint; readonly requests: number };

/**
 * The jobs that can be done, oldest first, which is the order in which they die, and why the others are left out: to begin each and finish
 * none would save nothing. `jobs` are oldest first; `leftMs` is how long a version stays readable, undefined where that is not known.
 */
export function admit(
  jobs: readonly Job[],
  msPerRequest: number,
  leftMs: (version: bigint) => number | undefined,
  budget = Number.POSITIVE_INFINITY,
) {
  const able: Job[] = [];
  const refused = new Map<bigint, "pruned" | "time" | "budget">();
  let requests = 0;
  for (const job of jobs) {
    const left = leftMs(job.version) ?? Number.POSITIVE_INFINITY;
    const needed = requests + job.requests;
    const why = left === 0 ? "pruned" : needed * msPerRequest > left ? "time" : needed > budget ? "budget" : undefined;
    if (why !== undefined) refused.set(job.version, why);
    else {
      able.push(job);
      requests = needed;
    }
  }
  return { able, refused, requests };
}
