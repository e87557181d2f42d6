import { sourceQueries } from "../../archive/nodes/sources.ts";
import { statusQueries } from "../../archive/read/status-queries.ts";
import { snapshotQueries } from "../../archive/snapshots/snapshot-queries.ts";
import type { Engine } from "../../engine/engine.ts";
import { targetQueries } from "../../work/targets/targets.ts";
import { askFirst } from "../check/first-answer.ts";
import { watchAbis } from "../visit/abi-watch.ts";
import { resumeSnapshot, retryGaps } from "./earlier-snapshots.ts";
import { addCost, countCost, type Night } from "./night.ts";
import { isTooLate, skipSnapshot, takeSnapshot } from "./own-snapshot.ts";
import { recordRun } from "./run-record.ts";
import type { SnapshotWork } from "./snapshot-reader.ts";
import { type SyncSummary, totalsOf, withFailing } from "./summary.ts";
import { isTonights, readPriorState, reportHead, type SyncRequest } from "./tonight.ts";

/**
 * The night: pin → visit every target → store → seal. Unfinished snapshots come first, then the version asked for, then the gaps
 * of earlier ones. @returns a summary per snapshot, the run's own last
 */
export async function sync(surroundings: SnapshotWork, request: SyncRequest): Promise<SyncSummary[]> {
  const { engine, node, clock } = surroundings;
  const cost = countCost(surroundings);
  const { head, value } = await askFirst(surroundings);
  const before = await readPriorState(engine);
  const abiWatch = watchAbis({ engine, clock, url: node.url, gitHash: value.gitHash });
  const work = { ...surroundings, abiWatch };
  const night: Night = { work, cost, request, head, before, finished: new Set(), summaries: [] };
  const ranFor = () => ({ requests: node.stats().requests, elapsedMs: cost.elapsedMs(), nowMs: clock.monotonic() });
  await recordRun(
    work,
    "sync",
    async () => {
      const isWhole = await readAll(night);
      const last = night.summaries.pop();
      if (last !== undefined) night.summaries.push(withFailing(last, node.failing(), ranFor()));
      if (!isWhole) return;
      await sourceQueries(engine).recordBuild({ node: node.url, gitHash: value.gitHash, build: abiWatch.tally.build ?? null }, clock.now());
    },
    () => totalsOf(night.summaries),
  );
  return withUndecoded(engine, night.summaries);
}

/** Adds to the run's own summary how many modules of its snapshot cannot be decoded: known once rows are derived. */
async function withUndecoded(engine: Engine, summaries: SyncSummary[]): Promise<SyncSummary[]> {
  const last = summaries.at(-1);
  const undecoded = last === undefined || last.status === "unsealed" ? 0 : await statusQueries(engine).undecodedModules(last.ledgerVersion);
  return last === undefined || undecoded === 0 ? summaries : [...summaries.slice(0, -1), { ...last, undecoded }];
}

/** Reads all that the run is to read. @returns whether it came to its own snapshot, and was not stopped before */
async function readAll(night: Night): Promise<boolean> {
  const { work, summaries, cost } = night;
  const { engine, clock, stop, abiWatch } = work;
  let isDone = false;
  for (const snapshot of await snapshotQueries(engine).unfinishedSnapshots()) {
    const isWanted = isTonights(night, snapshot, clock.now());
    const summary = await resumeSnapshot(night, snapshot, isWanted);
    summaries.push(summary);
    if (stop.reason !== undefined) return false;
    isDone ||= isWanted && summary.status !== "unsealed";
    night.finished.add(snapshot.ledgerVersion);
  }
  const isLate = !isDone && (await isTooLate(night));
  if (!isDone) summaries.push(isLate ? await skipSnapshot(night) : await takeSnapshot(night));
  const own = summaries.at(-1) as SyncSummary;
  const isWhole = own.status !== "unsealed" && own.sealedBy === undefined;
  const retried = isWhole && stop.reason === undefined ? await retryGaps(night) : [];
  summaries.pop();
  const sample = night.request.crossCheck ?? 0;
  if (isWhole && stop.reason === undefined && sample > 0) {
    const { crossCheck } = await import("../check/cross-check.ts");
    await crossCheck(work, abiWatch, own.ledgerVersion, sample);
  }
  const { tally } = abiWatch;
  const ofRun = {
    ...own,
    ...addCost(own, cost.since()),
    stoppedBy: stop.reason,
    ...(tally.compared > 0 && { abis: tally }),
    head: reportHead(night, clock.now()),
  };
  // The run's own snapshot stays the last, and has what is to be said of the run.
  summaries.push(...retried, await withAges(night, ofRun));
  return true;
}

/** Adds to the summary of a night that left targets out how old what is known of them is. */
async function withAges({ work: { engine }, head }: Night, summary: SyncSummary): Promise<SyncSummary> {
  if (summary.passedOver === undefined || !(await targetQueries(engine).hasTargets())) return summary;
  const { readingAges } = await import("./reading-ages.ts");
  return { ...summary, ages: await readingAges(engine, head) };
}
