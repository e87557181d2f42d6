import { compare } from "../../base/sorted.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import type { Store } from "../../work/store.ts";
import { endOf, type HeadSample, type HorizonSpeed, horizonSpeed, type Life, lifeOf, prunedBy } from "./horizon.ts";

/** A node whose latest sample is this much older than the address's latest is taken to be no longer there. */
const GONE_MS = 3 * 86_400_000;

/** The forecasts from what the database has kept by a moment; the address with the latest sample first. */
export async function storedForecasts(store: Pick<Store, "headSamples">, nowMs: number): Promise<HorizonForecast[]> {
  return [...Map.groupBy(await store.headSamples(nowMs), ({ node }) => node)]
    .map(([node, list]) => forecastHorizon(node, list))
    .sort((a, b) => b.latest.sampledAt - a.latest.sampledAt);
}

/** The forecast for a node from the samples of earlier runs and its newest answer. `store` is undefined where there is no database yet. */
export async function forecastNow(
  store: Pick<Store, "headSamples"> | undefined,
  node: string,
  head: LedgerHead,
  nowMs: number,
): Promise<HorizonForecast> {
  const earlier = (await store?.headSamples(nowMs)) ?? [];
  return forecastHorizon(node, [...earlier.filter((sample) => sample.node === node), sampleOf(head, nowMs)]);
}

export function sampleOf({ ledgerVersion, oldestVersion }: LedgerHead, sampledAt: number): HeadSample {
  return { sampledAt, headVersion: ledgerVersion, oldestVersion };
}

/** The windows of the nodes of one address. A request may reach any of them, so the shortest window counts throughout. */
export type HorizonForecast = ReturnType<typeof forecastHorizon>;

export type Estimate<T> = { readonly expected: T; readonly worst: T };

/** The forecast for one address from its samples, of which there is at least one, oldest first. */
export function forecastHorizon(node: string, samples: readonly HeadSample[]) {
  const latest = samples.at(-1) as HeadSample;
  const lanes = samplesByNode(samples).filter((lane) => latest.sampledAt - (lane.at(-1) as HeadSample).sampledAt <= GONE_MS);
  const speed = lanes.map(horizonSpeed).reduce(faster, undefined);
  // Each node's latest sample, all with the speed of the fastest node.
  const ends = lanes.map(endOf);
  const oldests = ends.map((end) => end.latest.oldestVersion).sort(compare);
  return {
    node,
    latest,
    /** The oldest version that all of them still read. */
    oldest: oldests.at(-1) ?? 0n,
    /** The oldest version that any of them still reads. */
    lowest: oldests[0] ?? latest.oldestVersion,
    /** How many nodes with different windows answer at this address. */
    nodes: lanes.length,
    /** The fastest among its nodes. Undefined until two samples of one node are a minute apart. */
    speed,
    /** The version below which everything is pruned at a moment (milliseconds since 1970); undefined while the speed is unknown. */
    prunedBy: (atMs: number): Estimate<bigint> | undefined =>
      speed === undefined
        ? undefined
        : ends
            .map((end) => prunedBy(end, speed, atMs))
            .reduce((a, b) => ({
              expected: a.expected > b.expected ? a.expected : b.expected,
              worst: a.worst > b.worst ? a.worst : b.worst,
            })),
    /** Milliseconds until a version is unreadable: 0 when it is, infinite while the horizon stands still, undefined where unknown. */
    leftMs: (version: bigint, nowMs: number): Life | undefined => {
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

/** A rise of the horizon by up to this fraction of the window is always plausible: nodes prune in batches. */
const BATCH_SHARE = 50n;

/**
 * Parts the samples of one address, in the order of time, by the node that answered. A window moves only forwards, so a sample
 * that goes back or leaps begins a new track; tracks that do not overlap in time are joined as one node.
 */
export function samplesByNode(samples: readonly HeadSample[]): HeadSample[][] {
  const tracks = joined(
    samples.map((sample) => [sample]),
    continues,
  );
  // Compared by order and not by time, since two samples may have the same.
  const order = new Map(samples.map((sample, index) => [sample, index]));
  const orderOf = (sample: HeadSample): number => order.get(sample) as number;
  return joined(tracks, (last, first) => orderOf(last) < orderOf(first));
}

/**
 * Appends each list to the one before it that it may follow by its first sample. Among several it is the one whose window is most like
 * the sample's: operators set the window's size, so it identifies a node best.
 */
function joined(lists: readonly HeadSample[][], mayFollow: (last: HeadSample, first: HeadSample) => boolean): HeadSample[][] {
  const nodes: HeadSample[][] = [];
  for (const list of lists) {
    const first = list[0] as HeadSample;
    const distance = (node: HeadSample[]): bigint => {
      const gap = windowOf(node.at(-1) as HeadSample) - windowOf(first);
      return gap < 0n ? -gap : gap;
    };
    const open = nodes.filter((node) => mayFollow(node.at(-1) as HeadSample, first));
    const [nearest] = open.toSorted((a, b) => compare(distance(a), distance(b)));
    if (nearest === undefined) nodes.push([...list]);
    else nearest.push(...list);
  }
  return nodes;
}

/** Whether a sample can be the next one of the same node: nothing falls, and the horizon rises no further than time and batches explain. */
function continues(last: HeadSample, next: HeadSample): boolean {
  const headRise = next.headVersion - last.headVersion;
  const rise = next.oldestVersion - last.oldestVersion;
  if (headRise < 0n || rise < 0n) return false;
  return rise <= 2n * headRise + windowOf(next) / BATCH_SHARE;
}

function windowOf({ headVersion, oldestVersion }: HeadSample): bigint {
  return headVersion - oldestVersion;
}
