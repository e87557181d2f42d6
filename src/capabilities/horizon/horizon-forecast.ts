import { type HeadSample, type HeadWatch, sampleOf } from "../../core/crawl/horizon/head-watch.ts";
import type { RunWork } from "../../core/crawl/run/run-work.ts";
import type { Engine } from "../../core/db/engine/engine.ts";
import type { LedgerHead } from "../../core/node/protocol/ledger-head.ts";
import { runQueries } from "../../core/work/runs/runs.ts";

export type Estimate<T> = { readonly expected: T; readonly worst: T };

/** The samples that count are at most this much older than the latest. */
const RECENT_MS = 3 * 86_400_000;
/** Samples closer together than this do not tell a speed: the horizon moves block by block. */
const APART_MS = 60_000;
/** At worst, the horizon rises so many times as fast as expected. */
const SAFETY = 1.5;

/** The forecasts from what the database has kept by a moment; the address with the latest sample first. */
export async function storedForecasts(engine: Engine, nowMs: number): Promise<HorizonForecast[]> {
  return [...Map.groupBy(await runQueries(engine).headSamples(nowMs), ({ node }) => node)]
    .map(([node, list]) => forecastHorizon(node, list))
    .sort((a, b) => b.latest.sampledAt - a.latest.sampledAt);
}

/** The forecast for a node from the samples of earlier runs and its newest answer. `engine` is undefined where there is no database yet. */
export async function forecastNow(engine: Engine | undefined, node: string, head: LedgerHead, nowMs: number): Promise<HorizonForecast> {
  return forecastHorizon(node, [...(await earlierSamples(engine, node, nowMs)), sampleOf(head, nowMs)]);
}

async function earlierSamples(engine: Engine | undefined, node: string, nowMs: number): Promise<HeadSample[]> {
  return ((await (engine && runQueries(engine).headSamples(nowMs))) ?? []).filter((sample) => sample.node === node);
}

/** The forecast for a run's node when it is asked for, from all samples and the latest answer; undefined before the first. */
export type RunForecast = () => HorizonForecast | undefined;

export async function openForecast(
  { engine, node, clock }: Pick<RunWork, "engine" | "node" | "clock">,
  watch: HeadWatch,
): Promise<RunForecast> {
  const earlier = await earlierSamples(engine, node.url, clock.now());
  return () => {
    const samples = watch.samples();
    return samples.length === 0 ? undefined : forecastHorizon(node.url, [...earlier, ...samples]);
  };
}

export type HorizonForecast = ReturnType<typeof forecastHorizon>;

/**
 * What to expect of the horizon of one address, from its samples, of which there is at least one, oldest first. Nodes prune as the head
 * rises, so a horizon that moved lately is taken to rise as fast as the head. A request may reach any node behind the address: the highest
 * of the recent horizons counts.
 */
export function forecastHorizon(node: string, samples: readonly HeadSample[]) {
  const latest = samples.at(-1) as HeadSample;
  const recent = samples.filter(({ sampledAt }) => latest.sampledAt - sampledAt <= RECENT_MS);
  const first = recent[0] as HeadSample;
  const sampledMs = latest.sampledAt - first.sampledAt;
  let [oldest, lowest] = [first.oldestVersion, latest.oldestVersion];
  for (const { oldestVersion } of recent) {
    if (oldestVersion < oldest) lowest = oldestVersion;
    else oldest = oldestVersion;
  }
  const perSecond = (versions: bigint): number => Math.max(0, (Number(versions) * 1000) / sampledMs);
  const risen = perSecond(oldest - first.oldestVersion);
  // Where the head stands still, the horizon's own rise is all that is known.
  const speed = sampledMs < APART_MS ? undefined : risen > 0 ? perSecond(latest.headVersion - first.headVersion) || risen : 0;

  /** The first version still readable at a moment: never after the newest that the node has shown. */
  const readableFrom = (perSecond: number, atMs: number): bigint => {
    const rise = (perSecond * Math.max(0, atMs - latest.sampledAt)) / 1000;
    const version = oldest + BigInt(Math.ceil(rise));
    return version < latest.headVersion ? version : latest.headVersion;
  };
  const lifeMs = (version: bigint, perSecond: number, nowMs: number): number =>
    perSecond === 0
      ? Number.POSITIVE_INFINITY
      : Math.max(0, ((Number(version - oldest) + 1) * 1000) / perSecond - (nowMs - latest.sampledAt));

  return {
    node,
    latest,
    /** Whether by a moment it has pruned all that it had when it was asked last. */
    isPast: (nowMs: number): boolean => speed !== undefined && lifeMs(latest.headVersion, speed, nowMs) === 0,
    /** The oldest version that every node behind the address still reads. */
    oldest,
    /** The oldest version that any of them still reads: lower than `oldest` where their windows differ. */
    lowest: lowest < oldest ? lowest : oldest,
    sampledMs,
    /** Versions a second by which the horizon rises; 0 where it stood still, undefined until two samples are a minute apart. */
    speed,
    /** The version below which everything is pruned at a moment (milliseconds since 1970); undefined while the speed is unknown. */
    prunedBy: (atMs: number): Estimate<bigint> | undefined =>
      speed === undefined ? undefined : { expected: readableFrom(speed, atMs), worst: readableFrom(SAFETY * speed, atMs) },
    /** Milliseconds until a version is unreadable: 0 when it is, infinite while the horizon stands still, undefined where unknown. */
    leftMs: (version: bigint, nowMs: number): Estimate<number> | undefined => {
      if (version < oldest) return { expected: 0, worst: 0 };
      return speed === undefined ? undefined : { expected: lifeMs(version, speed, nowMs), worst: lifeMs(version, SAFETY * speed, nowMs) };
    },
  };
}
