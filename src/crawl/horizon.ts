/** What a node said of its window at one moment. */
export type HeadSample = { readonly atMs: number; readonly headVersion: bigint; readonly oldestVersion: bigint };

/** How one node's horizon rises: steadily, and in leaps. */
export type HorizonSpeed = {
  /** Versions a second over the whole time sampled: what to expect. */
  readonly average: number;
  /** Versions a second that it may keep up for long: what to fear. Never below the average. */
  readonly sustained: number;
  /** Versions by which it was ever ahead of the sustained pace: pruning in batches, a smaller window, a replaced node. */
  readonly leap: number;
  readonly sampledMs: number;
};

/** Samples closer than this say more about the moment of asking than about speed: the horizon moves block by block. */
const APART_MS = 60_000;

/** The sustained pace is the fastest over any stretch as long as this share of the time sampled. */
const STRETCHES = 4;

/**
 * How one node's horizon rises, from its samples in the order of time; undefined when they do not span a minute.
 *
 * The pessimistic half is a bound that no pair of samples broke: between any two, the horizon rose by at most
 * `leap + sustained × time`. Pruning in batches then counts as a leap, not as a speed that would end the world in an hour.
 * A horizon that moves at all is taken to keep up with the head, since a window that is full can only be kept that way.
 */
export function horizonSpeed(samples: readonly HeadSample[]): HorizonSpeed | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs - first.atMs < APART_MS) return undefined;
  const sampledMs = last.atMs - first.atMs;
  const average = speedBetween(first, last, "oldestVersion");
  const moves = samples.some(({ oldestVersion }) => oldestVersion > first.oldestVersion);
  const headSpeed = moves ? speedBetween(first, last, "headVersion") : 0;
  const sustained = Math.max(average, headSpeed, fastestStretch(samples, Math.max(APART_MS, sampledMs / STRETCHES)));
  return { average, sustained, leap: largestLeap(samples, sustained), sampledMs };
}

/** The highest version that may have fallen below the horizon `aheadMs` after the sample: as expected, and at worst. */
export function goneBy(latest: HeadSample, speed: HorizonSpeed, aheadMs: number): { readonly expected: bigint; readonly worst: bigint } {
  const seconds = Math.max(0, aheadMs) / 1000;
  return {
    expected: latest.oldestVersion + BigInt(Math.ceil(speed.average * seconds)),
    worst: latest.oldestVersion + (speed.sustained === 0 ? 0n : BigInt(Math.ceil(speed.leap + speed.sustained * seconds))),
  };
}

/** Milliseconds from the sample until a version falls below the horizon; 0 when it has, infinite when the horizon stands still. */
export function lifeOf(version: bigint, latest: HeadSample, speed: HorizonSpeed): { readonly expected: number; readonly worst: number } {
  if (version < latest.oldestVersion) return { expected: 0, worst: 0 };
  const above = Number(version - latest.oldestVersion) + 1;
  const life = (versions: number, perSecond: number): number =>
    perSecond <= 0 ? Number.POSITIVE_INFINITY : (Math.max(0, versions) * 1000) / perSecond;
  return { expected: life(above, speed.average), worst: life(above - speed.leap, speed.sustained) };
}

function fastestStretch(samples: readonly HeadSample[], lengthMs: number): number {
  let fastest = 0;
  let from = 0;
  for (const sample of samples) {
    // The latest sample that is far enough back: the shortest stretch that is long enough.
    while (sample.atMs - (samples[from + 1] ?? sample).atMs >= lengthMs) from += 1;
    const begin = samples[from] as HeadSample;
    if (sample.atMs - begin.atMs >= lengthMs) fastest = Math.max(fastest, speedBetween(begin, sample, "oldestVersion"));
  }
  return fastest;
}

function largestLeap(samples: readonly HeadSample[], perSecond: number): number {
  const base = samples[0] as HeadSample;
  let lowest = 0;
  let leap = 0;
  for (const { atMs, oldestVersion } of samples) {
    const ahead = Number(oldestVersion - base.oldestVersion) - (perSecond * (atMs - base.atMs)) / 1000;
    lowest = Math.min(lowest, ahead);
    leap = Math.max(leap, ahead - lowest);
  }
  return leap;
}

/** Steps backwards are no progress and count as none. */
function speedBetween(from: HeadSample, to: HeadSample, which: "oldestVersion" | "headVersion"): number {
  return Math.max(0, (Number(to[which] - from[which]) * 1000) / (to.atMs - from.atMs));
}
