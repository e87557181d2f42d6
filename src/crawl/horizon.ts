/** What a node said of its window at one moment. */
export type HeadSample = { readonly atMs: number; readonly headVersion: bigint; readonly oldestVersion: bigint };

/** How fast a node's horizon rises, in versions a second, from samples over time. */
export type HorizonSpeed = {
  /** Over the whole time sampled. */
  readonly average: number;
  /** The fastest between two samples far enough apart: what to fear. */
  readonly worst: number;
  readonly sampledMs: number;
};

/** Samples closer than this say more about the moment of asking than about speed: the horizon moves block by block. */
const APART_MS = 60_000;

/**
 * The horizon's speed from samples of one node in the order of time, or undefined when they do not span a minute.
 *
 * Steps backwards (a restarted node, another node behind the same address) are no progress and count as none.
 */
export function horizonSpeed(samples: readonly HeadSample[]): HorizonSpeed | undefined {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.atMs - first.atMs < APART_MS) return undefined;
  let mark = first;
  let worst = 0;
  for (const sample of samples) {
    if (sample.atMs - mark.atMs < APART_MS) continue;
    worst = Math.max(worst, speedBetween(mark, sample));
    mark = sample;
  }
  const average = speedBetween(first, last);
  return { average, worst: Math.max(worst, average), sampledMs: last.atMs - first.atMs };
}

/** Milliseconds from `nowMs` until a version falls below the horizon, at a speed; 0 when it has, undefined when the horizon stands still. */
export function timeLeftMs(version: bigint, latest: HeadSample, nowMs: number, versionsPerSecond: number): number | undefined {
  const above = version - latest.oldestVersion;
  if (above < 0n) return 0;
  if (versionsPerSecond <= 0) return undefined;
  return Math.max(0, (Number(above + 1n) * 1000) / versionsPerSecond - (nowMs - latest.atMs));
}

function speedBetween(from: HeadSample, to: HeadSample): number {
  const seconds = (to.atMs - from.atMs) / 1000;
  return Math.max(0, Number(to.oldestVersion - from.oldestVersion) / seconds);
}
