import { formatDuration } from "../../core/base/time.ts";
import { LedgerTime } from "../../core/crawl/horizon/ledger-time.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import type { RecordCadence } from "../../core/crawl/targets/targets.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import { ConfigError, MovedexError } from "../../core/errors.ts";
import type { Address } from "../../core/move/address.ts";
import type { LedgerHead } from "../../core/node/protocol/ledger-head.ts";

/** One end of the range to backfill: a version, a number of versions below the newest, or a moment (milliseconds since 1970). */
export type Edge = { readonly version: bigint } | { readonly behind: bigint } | { readonly atMs: number };

/** The distance between points: in versions, or in milliseconds. */
export type Step = { readonly versions: bigint } | { readonly ms: number };

/** Which older versions are wanted. */
export type PointsRequest = { readonly every: Step; readonly from?: Edge; readonly to?: Edge };

/** What backfill is asked for: versions, and accounts (undefined: the stored targets, else the framework accounts). */
export type BackfillRequest = PointsRequest & {
  readonly scope: readonly Address[] | undefined;
  /** How far apart two snapshots may be between which accounts are inferred. */
  readonly maxInferred: Step | "any";
  readonly maxRequests?: number | undefined;
  /** How often account records are read; default with the code, at every version. */
  readonly records?: RecordCadence;
};

/** A wanted version; the moment that it represents, and how far its own time may be from that; and about when it was made. */
export type WantedVersion = {
  readonly version: bigint;
  readonly wantedTime: number | null;
  readonly timeErrorMs: number | null;
  readonly estimate?: { readonly ms: number; readonly errorMs: number };
};

type Window = Pick<LedgerHead, "oldestVersion" | "ledgerVersion">;
/** `engine` is undefined where there is no database yet. */
export type PlanWork = Pick<RunWork, "node" | "clock" | "stop" | "log"> & { readonly engine: Engine | undefined };

/** More points than this are refused as a mistake. */
const POINTS_MAX = 5_000;

/** Two heads of a node, this far apart, tell the rate of versions where nothing else does. */
const TIME_PAUSE_MS = 15_000;

/** Versions a second where nothing tells their rate: slower than any network there is, so that less is inferred rather than more. */
const SLOWEST_RATE = 1;

/**
 * The versions that are wanted of a node, and how many versions apart two snapshots may be between which accounts are inferred (undefined
 * for any). @throws BackfillError where times cannot be mapped to versions, ConfigError
 */
export async function wantedOf({ engine, node, clock, stop, log }: PlanWork, request: BackfillRequest, head: LedgerHead) {
  const { every, from, to, maxInferred } = request;
  const isNeeded = [every, from, to].some((one) => one !== undefined && ("ms" in one || "atMs" in one));
  const heads = [head, node.lastHead() ?? head];
  let time = await LedgerTime.read(engine, ...heads);
  if (time === undefined && (isNeeded || (maxInferred !== "any" && "ms" in maxInferred))) {
    log("info", `waiting ${formatDuration(TIME_PAUSE_MS)}, so that two answers of the node tell how fast its versions are made`);
    await clock.sleep(TIME_PAUSE_MS, stop.signal);
    time = await LedgerTime.read(engine, ...heads, (await node.index(stop.signal)).head);
  }
  if (time === undefined && isNeeded) {
    const { ledgerVersion: version } = head;
    const found = `cannot map times to versions: the node's newest version ${version} has not moved, and no earlier run saw another`;
    const advice = "Give --every, --from and --to in versions, or run again when the ledger moves.";
    throw new BackfillError("MOVEDEX_BACKFILL_TIMELESS", `${found}. ${advice}`, { facts: { version } });
  }
  const wanted = planVersions(request, head, time).map((point): WantedVersion => {
    if (time === undefined || point.wantedTime !== null) return point;
    // At the pace of all marks, and off by at most its distance from the newest.
    const ms = time.timeAt(point.version);
    return { ...point, estimate: { ms, errorMs: Math.max(0, Number(head.timestampUsec / 1000n) - ms) } };
  });
  if (maxInferred === "any") return { wanted };
  if ("versions" in maxInferred) return { wanted, maxApart: maxInferred.versions };
  return { wanted, maxApart: time?.versionsIn(maxInferred.ms) ?? BigInt(Math.round((maxInferred.ms / 1000) * SLOWEST_RATE)) };
}

/** The node's head stood still, so nothing tells how versions and time go together. Code: `MOVEDEX_BACKFILL_TIMELESS`. */
class BackfillError extends MovedexError {}

/**
 * The wanted versions, oldest first: multiples of the step (moments since 1970 in UTC), so that another night asks for the same
 * ones. @throws ConfigError for over 5,000 points, or an empty range
 */
export function planVersions({ every, from, to }: PointsRequest, { oldestVersion, ledgerVersion }: Window, time?: LedgerTime) {
  const versionOf = (edge: Edge): bigint => {
    if ("version" in edge) return edge.version;
    return "behind" in edge ? ledgerVersion - edge.behind : (time as LedgerTime).versionAt(edge.atMs).version;
  };
  const first = from === undefined ? oldestVersion + 1n : versionOf(from);
  const wished = to === undefined ? ledgerVersion : versionOf(to);
  const last = wished > ledgerVersion ? ledgerVersion : wished;
  if (first > last)
    throw new ConfigError(`there is no version from ${first} to ${last}. The node has versions ${oldestVersion} to ${ledgerVersion}.`);
  return "ms" in every ? pointsInTime(every.ms, first, last, time as LedgerTime) : multiples(every.versions, first, last);
}

function multiples(step: bigint, first: bigint, last: bigint): WantedVersion[] {
  const begin = ((first + step - 1n) / step) * step;
  const length = (last - begin + step) / step;
  assertFew(length);
  return Array.from({ length: Number(length) }, (_, i) => ({ version: begin + step * BigInt(i), wantedTime: null, timeErrorMs: null }));
}

function pointsInTime(stepMs: number, first: bigint, last: bigint, time: LedgerTime): WantedVersion[] {
  // One version wider on both sides, since times and versions are rounded. The loop leaves out what is not in the range.
  const [from, to] = [time.timeAt(first - 1n), time.timeAt(last + 1n)];
  assertFew(BigInt(Math.floor((to - from) / stepMs)));
  const points: WantedVersion[] = [];
  for (let atMs = Math.ceil(from / stepMs) * stepMs; atMs <= to; atMs += stepMs) {
    const { version, errorMs } = time.versionAt(atMs);
    if (version < first || version > last) continue;
    if (points.at(-1)?.version !== version)
      points.push({ version, wantedTime: atMs, timeErrorMs: errorMs, estimate: { ms: atMs, errorMs } });
  }
  return points;
}

function assertFew(points: bigint): void {
  if (points <= BigInt(POINTS_MAX)) return;
  const found = `--every gives ${points} versions between the two ends, more than ${POINTS_MAX}`;
  throw new ConfigError(`${found}. Take larger steps, or --from and --to.`);
}
