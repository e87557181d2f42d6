import type { Engine } from "../../db/engine/engine.ts";
import type { LedgerHead } from "../../node/protocol/ledger-head.ts";
import { type RunQueries, runQueries, type StoredSample } from "../../work/runs/runs.ts";
import type { RunWork } from "../run/run-work.ts";

/** A node's window at one moment (milliseconds since 1970), as its answer gave it. */
export type HeadSample = Pick<StoredSample, "sampledAt" | "headVersion" | "oldestVersion">;

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
  const earlier = (await (engine && runQueries(engine).headSamples(nowMs))) ?? [];
  return forecastHorizon(node, [...earlier.filter((sample) => sample.node === node), sampleOf(head, nowMs)]);
}

function sampleOf({ ledgerVersion, oldestVersion }: LedgerHead, sampledAt: number): HeadSample {
  return { sampledAt, headVersion: ledgerVersion, oldestVersion };
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

const FIRST_PAUSE_MS = 60_000;
const PAUSE_SHARE = 1 / 12;

export type HeadWatch = Awaited<ReturnType<typeof watchHead>>;

/** Samples the node's window, as its answers tell it, ever more rarely as the run goes on; `stored` has those of earlier runs. */
export async function watchHead(
  { node, clock }: Pick<RunWork, "node" | "clock">,
  stored: Pick<RunQueries, "addHeadSample" | "headSamples">,
) {
  const samples: HeadSample[] = (await stored.headSamples(clock.now())).filter((sample) => sample.node === node.url);
  let head: LedgerHead | undefined;
  let kept: LedgerHead | undefined;
  let keepsFromMs = Number.NEGATIVE_INFINITY;
  let saved: Promise<void> = Promise.resolve();
  const startedMs = clock.now();

  function hear(heard: LedgerHead): void {
    head = heard;
    const now = clock.now();
    if (now >= keepsFromMs) keep(heard, now);
  }

  function keep(heard: LedgerHead, now: number): void {
    const sample = sampleOf(heard, now);
    saved = saved.then(() => stored.addHeadSample({ ...sample, node: node.url, timestampUsec: heard.timestampUsec }));
    // What fails is told when the watch is closed.
    saved.catch(() => undefined);
    samples.push(sample);
    kept = heard;
    keepsFromMs = now + Math.max(FIRST_PAUSE_MS, (now - startedMs) * PAUSE_SHARE);
  }

  const before = node.lastHead();
  if (before !== undefined) hear(before);
  node.onHead(hear);
  return {
    /** The forecast from all samples and the latest answer; undefined before the first answer. */
    forecast: (): HorizonForecast | undefined => head && forecastHorizon(node.url, [...samples, sampleOf(head, clock.now())]),
    /** Keeps the latest word, whatever the pause: a run's end is the next one's past. Rejects when a sample could not be kept. */
    close: async (): Promise<void> => {
      node.onHead(() => {});
      if (head !== undefined && head !== kept) keep(head, clock.now());
      await saved;
    },
  };
}
