/** What a node said of its window at one moment. */
export type HeadSample = { readonly atMs: number; readonly headVersion: bigint; readonly oldestVersion: bigint };

/** How one node's horizon rises: steadily, and in leaps. */
export type HorizonSpeed = {
  /** Versions a second: what to expect. The head's own speed where the horizon follows it, so that a leap counts once only. */
  readonly average: number;
  /** Versions a second that it may keep up for long: what to fear. Never below the average. */
  readonly sustained: number;
  /** Versions by which it was ever ahead of the sustained pace: pruning in batches, a smaller window, a replaced node. */
  readonly leap: number;
  /** Milliseconds for which it was seen to stand before it rose again: batches let a version live up to this much longer than expected. */
  readonly stoodMs: number;
  readonly sampledMs: number;
};

/** The latest word of a node, and since when its horizon has stood there (milliseconds since 1970). */
export type HorizonEnd = { readonly latest: HeadSample; readonly risenAtMs: number };

/** Milliseconds that a version is still readable: at best, as expected, and at worst. */
export type Life = { readonly best: number; readonly expected: number; readonly worst: number };

/** Samples closer than this say more about the moment of asking than about speed: the horizon moves block by block. */
const APART_MS = 60_000;

/** A horizon that rose by this share of what the head did is following it. */
const FOLLOWS_SHARE = 0.5;

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
  const risen = speedBetween(first, last, "oldestVersion");
  const moves = samples.some(({ oldestVersion }) => oldestVersion > first.oldestVersion);
  const headSpeed = moves ? speedBetween(first, last, "headVersion") : 0;
  const average = risen >= FOLLOWS_SHARE * headSpeed && headSpeed > 0 ? headSpeed : risen;
  const sustained = Math.max(risen, headSpeed, fastestStretch(samples, Math.max(APART_MS, sampledMs / STRETCHES)));
  return { average, sustained, leap: largestLeap(samples, sustained), stoodMs: longestStand(samples), sampledMs };
}

/** The end of one node's samples, at least one, in the order of time. */
export function endOf(samples: readonly HeadSample[]): HorizonEnd {
  const latest = samples.at(-1) as HeadSample;
  const before = samples.findLastIndex(({ oldestVersion }) => oldestVersion !== latest.oldestVersion);
  return { latest, risenAtMs: (samples[before + 1] as HeadSample).atMs };
}

/**
 * The version below which all may be gone at a moment: as expected, and at worst.
 *
 * What is expected runs on from when the horizon last rose, since one that rises in batches is late just before it does;
 * but a horizon that has stood for long is expected to go on from now, not to make up for it.
 */
export function goneBy(end: HorizonEnd, speed: HorizonSpeed, atMs: number): { readonly expected: bigint; readonly worst: bigint } {
  const { latest, risenAtMs } = end;
  const ahead = Math.max(0, atMs - latest.atMs) / 1000;
  const expected = Math.min((speed.average * Math.max(0, atMs - risenAtMs)) / 1000, speed.sustained * ahead);
  return {
    expected: latest.oldestVersion + BigInt(Math.ceil(expected)),
    worst: latest.oldestVersion + (speed.sustained === 0 ? 0n : BigInt(Math.ceil(speed.leap + speed.sustained * ahead))),
  };
}

/** Milliseconds from a moment until a version falls below the horizon; 0 when it has, infinite when the horizon stands still. */
export function lifeOf(version: bigint, end: HorizonEnd, speed: HorizonSpeed, nowMs: number): Life {
  const { latest, risenAtMs } = end;
  if (version < latest.oldestVersion) return { best: 0, expected: 0, worst: 0 };
  const above = Number(version - latest.oldestVersion) + 1;
  const life = (versions: number, perSecond: number, sinceMs: number): number =>
    perSecond <= 0 ? Number.POSITIVE_INFINITY : Math.max(0, (versions * 1000) / perSecond - (nowMs - sinceMs));
  const expected = Math.max(life(above, speed.average, risenAtMs), life(above, speed.sustained, latest.atMs));
  return {
    best: expected + speed.stoodMs,
    expected,
    worst: life(Math.max(0, above - speed.leap), speed.sustained, latest.atMs),
  };
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

/** It may have stood until just before it was next heard, but is not taken to have stood twice as long as was seen. */
function longestStand(samples: readonly HeadSample[]): number {
  let longest = 0;
  let since = samples[0] as HeadSample;
  let until = since;
  for (const sample of samples) {
    const rise = sample.oldestVersion - since.oldestVersion;
    if (rise > 0n) longest = Math.max(longest, Math.min(sample.atMs - since.atMs, 2 * (until.atMs - since.atMs)));
    if (rise !== 0n) since = sample;
    until = sample;
  }
  return longest;
}

/** Steps backwards are no progress and count as none. */
function speedBetween(from: HeadSample, to: HeadSample, which: "oldestVersion" | "headVersion"): number {
  return Math.max(0, (Number(to[which] - from[which]) * 1000) / (to.atMs - from.atMs));
}
