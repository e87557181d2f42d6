import type { HeadSample as StoredSample } from "../../store/work/runs.ts";
import { endOf, goneBy, type HeadSample, type HorizonSpeed, horizonSpeed, type Life, lifeOf } from "./horizon.ts";
import { separateNodes } from "./samples-by-node.ts";

/** A guess and how much worse it may come. */
export type Spread<T> = { readonly expected: T; readonly worst: T };

/**
 * What the windows behind one address have shown, and what follows for the time ahead. A request may land on any of its
 * nodes, so of everything the one that has least left counts.
 */
export type Outlook = {
  readonly node: string;
  /** The latest sample. */
  readonly latest: HeadSample;
  /** The oldest version that every one of them still reads. */
  readonly oldest: bigint;
  /** The oldest version that any of them still reads. */
  readonly lowest: bigint;
  /** How many nodes with windows of their own answer at this address. */
  readonly nodes: number;
  /** The fastest among its nodes. Undefined until two samples of one node are a minute apart. */
  readonly speed: HorizonSpeed | undefined;
  /** The version below which all is gone at a moment (milliseconds since 1970); undefined while the speed is unknown. */
  readonly goneBy: (atMs: number) => Spread<bigint> | undefined;
  /**
   * Milliseconds from a moment until a version becomes unreadable: 0 when it is, infinite when the horizon stands still,
   * undefined when nobody can tell.
   */
  readonly leftMs: (version: bigint, nowMs: number) => Life | undefined;
};

/** A node not heard for as long as this before the address's latest sample is taken to be gone from behind it. */
const GONE_MS = 3 * 86_400_000;

/** One outlook for each address among the samples (which come oldest first), the latest heard first. */
export function outlooks(samples: readonly StoredSample[]): Outlook[] {
  const byNode = Map.groupBy(samples, ({ node }) => node);
  return [...byNode]
    .map(([node, list]) =>
      outlookOf(
        node,
        list.map(({ sampledAt, headVersion, oldestVersion }) => ({ atMs: sampledAt, headVersion, oldestVersion })),
      ),
    )
    .sort((a, b) => b.latest.atMs - a.latest.atMs);
}

/** The outlook of one address from its samples, at least one, oldest first. */
export function outlookOf(node: string, samples: readonly HeadSample[]): Outlook {
  const latest = samples.at(-1) as HeadSample;
  const lanes = separateNodes(samples).filter((lane) => latest.atMs - (lane.at(-1) as HeadSample).atMs <= GONE_MS);
  const speed = lanes.map(horizonSpeed).reduce(faster, undefined);
  // Each node's newest word, all judged by the fastest of them.
  const ends = lanes.map(endOf);
  const oldests = ends.map((end) => end.latest.oldestVersion);
  return {
    node,
    latest,
    oldest: oldests.reduce((highest, oldest) => (oldest > highest ? oldest : highest), 0n),
    lowest: oldests.reduce((lowest, oldest) => (oldest < lowest ? oldest : lowest), latest.oldestVersion),
    nodes: lanes.length,
    speed,
    goneBy: (atMs) =>
      speed === undefined
        ? undefined
        : ends
            .map((end) => goneBy(end, speed, atMs))
            .reduce((a, b) => ({
              expected: a.expected > b.expected ? a.expected : b.expected,
              worst: a.worst > b.worst ? a.worst : b.worst,
            })),
    leftMs: (version, nowMs) => {
      if (oldests.some((oldest) => version < oldest)) return { best: 0, expected: 0, worst: 0 };
      if (speed === undefined) return undefined;
      const lives = ends.map((end) => lifeOf(version, end, speed, nowMs));
      const least = (which: keyof Life): number => Math.min(...lives.map((life) => life[which]));
      return { best: least("best"), expected: least("expected"), worst: least("worst") };
    },
  };
}

function faster(a: HorizonSpeed | undefined, b: HorizonSpeed | undefined): HorizonSpeed | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    average: Math.max(a.average, b.average),
    sustained: Math.max(a.sustained, b.sustained),
    leap: Math.max(a.leap, b.leap),
    stoodMs: Math.max(a.stoodMs, b.stoodMs),
    sampledMs: Math.max(a.sampledMs, b.sampledMs),
  };
}
