import type { HeadSample as StoredSample } from "../store/runs.ts";
import { type HeadSample, type HorizonSpeed, horizonSpeed, timeLeftMs } from "./horizon.ts";

/** What one node's window has shown, and what follows for the time ahead. Estimates use the worst speed seen. */
export type Outlook = {
  readonly node: string;
  readonly latest: HeadSample;
  /** Undefined until two samples are a minute apart. */
  readonly speed: HorizonSpeed | undefined;
  /** The version below which all is gone a day from now; undefined while the speed is unknown. */
  readonly goneInADay: bigint | undefined;
  /** Milliseconds until a version becomes unreadable: 0 when it is, undefined when nobody can tell. */
  readonly leftMs: (version: bigint) => number | undefined;
};

const DAY_SECONDS = 86_400;

/** One outlook for each node among the samples (which come oldest first), the latest heard first. */
export function outlooks(samples: readonly StoredSample[], nowMs: number): Outlook[] {
  const byNode = new Map<string, HeadSample[]>();
  for (const { node, sampledAt, headVersion, oldestVersion } of samples) {
    const list = byNode.get(node) ?? [];
    list.push({ atMs: sampledAt, headVersion, oldestVersion });
    byNode.set(node, list);
  }
  return [...byNode].map(([node, list]) => outlookOf(node, list, nowMs)).sort((a, b) => b.latest.atMs - a.latest.atMs);
}

function outlookOf(node: string, samples: readonly HeadSample[], nowMs: number): Outlook {
  const latest = samples.at(-1) as HeadSample;
  const speed = horizonSpeed(samples);
  const ahead = speed === undefined ? undefined : BigInt(Math.ceil(speed.worst * (DAY_SECONDS + Math.max(0, nowMs - latest.atMs) / 1000)));
  return {
    node,
    latest,
    speed,
    goneInADay: ahead === undefined ? undefined : latest.oldestVersion + ahead,
    leftMs: (version) =>
      version < latest.oldestVersion ? 0 : speed === undefined ? undefined : timeLeftMs(version, latest, nowMs, speed.worst),
  };
}
