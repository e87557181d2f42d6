import type { StoredSample } from "../../work/runs/runs.ts";

/** A node's window at one moment (milliseconds since 1970), as its answer gave it. */
export type HeadSample = Pick<StoredSample, "sampledAt" | "headVersion" | "oldestVersion">;

/** How fast one node's horizon rises, on average and at worst. */
export type HorizonSpeed = {
  /** The expected speed in versions a second. If the horizon follows the head, it is the head's speed, so that a jump counts only once. */
  readonly average: number;
  /** The fastest speed in versions a second that it may keep up for long. Never below the average. */
  readonly sustained: number;
  /** The most versions by which it was ever ahead of the sustained speed: pruning in batches, a smaller window, a replaced node. */
  readonly leap: number;
  /** The longest standstill before a rise, in milliseconds: a version may be readable so much longer where a node prunes in batches. */
  readonly stoodMs: number;
  readonly sampledMs: number;
};

/** A node's latest sample, and since when its horizon has been there (milliseconds since 1970). */
export type HorizonEnd = { readonly latest: HeadSample; readonly risenAtMs: number };

/** For how many more milliseconds a version is readable: at best, as expected, and at worst. */
export type Life = { readonly best: number; readonly expected: number; readonly worst: number };

/** Samples closer together than this do not tell a speed: the horizon moves block by block. */
const APART_MS = 60_000;

/** A horizon that rose by at least this share of the head's rise is taken to follow it. */
const FOLLOWS_SHARE = 0.5;

/** The sustained speed is the fastest over any stretch of this fraction of the time sampled. */
const STRETCHES = 4;

/**
 * How fast a node's horizon rises, from samples in the order of time; undefined under a minute. The worst case bounds every pair:
 * at most `leap + sustained × time`, so pruning in batches counts as a leap, not as a speed.
 */
export function horizonSpeed(samples: readonly HeadSample[]): HorizonSpeed | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.sampledAt - first.sampledAt < APART_MS) return undefined;
  const sampledMs = last.sampledAt - first.sampledAt;
  const risen = speedBetween(first, last, "oldestVersion");
  const moves = samples.some(({ oldestVersion }) => oldestVersion > first.oldestVersion);
  const headSpeed = moves ? speedBetween(first, last, "headVersion") : 0;
  const average = risen >= FOLLOWS_SHARE * headSpeed && headSpeed > 0 ? headSpeed : risen;
  const sustained = Math.max(risen, headSpeed, fastestStretch(samples, Math.max(APART_MS, sampledMs / STRETCHES)));
  return { average, sustained, leap: largestLeap(samples, sustained), stoodMs: longestStand(samples), sampledMs };
}

/** The end of one node's samples, of which there is at least one, in the order of time. */
export function endOf(samples: readonly HeadSample[]): HorizonEnd {
  const latest = samples.at(-1) as HeadSample;
  const before = samples.findLastIndex(({ oldestVersion }) => oldestVersion !== latest.oldestVersion);
  return { latest, risenAtMs: (samples[before + 1] as HeadSample).sampledAt };
}

/**
 * The version below which everything is pruned at a moment: as expected, and at worst. The expected rise counts from the last
 * rise, and is bounded by the sustained speed from the latest sample on.
 */
export function prunedBy(end: HorizonEnd, speed: HorizonSpeed, atMs: number): { readonly expected: bigint; readonly worst: bigint } {
  const { latest, risenAtMs } = end;
  const ahead = Math.max(0, atMs - latest.sampledAt) / 1000;
  const expected = Math.min((speed.average * Math.max(0, atMs - risenAtMs)) / 1000, speed.sustained * ahead);
  return {
    expected: latest.oldestVersion + BigInt(Math.ceil(expected)),
    worst: latest.oldestVersion + (speed.sustained === 0 ? 0n : BigInt(Math.ceil(speed.leap + speed.sustained * ahead))),
  };
}

/** Milliseconds from a moment until a version falls below the horizon; 0 when it already has, infinite when the horizon stands still. */
export function lifeOf(version: bigint, end: HorizonEnd, speed: HorizonSpeed, nowMs: number): Life {
  const { latest, risenAtMs } = end;
  if (version < latest.oldestVersion) return { best: 0, expected: 0, worst: 0 };
  const above = Number(version - latest.oldestVersion) + 1;
  const life = (versions: number, perSecond: number, sinceMs: number): number =>
    perSecond <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, (versions * 1000) / perSecond - (nowMs - sinceMs));
  const expected = Math.max(life(above, speed.average, risenAtMs), life(above, speed.sustained, latest.sampledAt));
  return {
    best: expected + speed.stoodMs,
    expected,
    worst: life(Math.max(0, above - speed.leap), speed.sustained, latest.sampledAt),
  };
}

function fastestStretch(samples: readonly HeadSample[], lengthMs: number): number {
  let fastest = 0;
  let from = 0;
  for (const sample of samples) {
    // The shortest stretch that is long enough: it begins at the latest sample that is far enough back.
    while (sample.sampledAt - (samples[from + 1] ?? sample).sampledAt >= lengthMs) from += 1;
    const begin = samples[from] as HeadSample;
    if (sample.sampledAt - begin.sampledAt >= lengthMs) fastest = Math.max(fastest, speedBetween(begin, sample, "oldestVersion"));
  }
  return fastest;
}

function largestLeap(samples: readonly HeadSample[], perSecond: number): number {
  const base = samples[0] as HeadSample;
  let lowest = 0;
  let leap = 0;
  for (const { sampledAt, oldestVersion } of samples) {
    const ahead = Number(oldestVersion - base.oldestVersion) - (perSecond * (sampledAt - base.sampledAt)) / 1000;
    lowest = Math.min(lowest, ahead);
    leap = Math.max(leap, ahead - lowest);
  }
  return leap;
}

/** A horizon may have stood still until just before the sample that shows a rise. We assume at most twice the observed standstill. */
function longestStand(samples: readonly HeadSample[]): number {
  let longest = 0;
  let since = samples[0] as HeadSample;
  let until = since;
  for (const sample of samples) {
    const rise = sample.oldestVersion - since.oldestVersion;
    if (rise > 0n) longest = Math.max(longest, Math.min(sample.sampledAt - since.sampledAt, 2 * (until.sampledAt - since.sampledAt)));
    if (rise !== 0n) since = sample;
    until = sample;
  }
  return longest;
}

/** Versions a second between two samples; a step backwards counts as 0. */
function speedBetween(from: HeadSample, to: HeadSample, which: "oldestVersion" | "headVersion"): number {
  return Math.max(0, (Number(to[which] - from[which]) * 1000) / (to.sampledAt - from.sampledAt));
}
