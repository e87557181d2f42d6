import type { Miss } from "../../archive/content/visit-model.ts";
import { gapQueries } from "../../archive/snapshots/gaps.ts";
import { pinQueries } from "../../archive/snapshots/pins.ts";
import { planQueries } from "../../archive/snapshots/plan-queries.ts";
import { sealQueries } from "../../archive/snapshots/seal.ts";
import type { Engine } from "../../engine/engine.ts";
import { batchQueries } from "../../work/workers/batches.ts";
import { announceVersion, othersAt, withLease } from "../../work/workers/sharing.ts";
import { WorkerError } from "../run/worker-error.ts";
import type { SnapshotOutcome } from "./progress.ts";
import { openReader, type SnapshotWork } from "./snapshot-reader.ts";

/** What came of a snapshot, sealed or left to a later run. */
export type ReadSnapshot = { readonly isSealed: boolean; readonly outcome: SnapshotOutcome };

/**
 * Reads what is left of a snapshot's plan and seals it; other processes may read it too, and the last one seals.
 * @throws NodeError when the run cannot go on, for the next to resume; WorkerError when this node alone has pruned the version
 */
export async function readSnapshot(work: SnapshotWork, version: bigint): Promise<ReadSnapshot> {
  const { engine, stop, clock } = work;
  await announceVersion(work, version);
  try {
    const reader = await openReader(work, version);
    for (;;) {
      await batchQueries(engine, work.sharing.take).openBatches(version);
      await reader.read();
      const { pinPruned, postponed, nodeFault } = reader.failures;
      if (pinPruned !== undefined) {
        if ((await othersAt(work, version)) > 0) throw WorkerError.pruned(version, work.node);
        await withLease(work, "plan", (turn) => gapQueries(turn).missRest(version, pinPruned, clock.now()));
      } else {
        // A plan that was chosen for the budget ends with it; any other goes on in the next run, or with others.
        if (stop.reason === "budget") await withLease(work, "plan", (turn) => passOverRest(work, turn, version, postponed, clock.now()));
        if (stop.reason !== undefined && (await pinQueries(engine).progress(version)).planned > 0)
          return { isSealed: false, outcome: reader.outcome() };
        if (nodeFault !== undefined) throw nodeFault;
      }
      const sealed = await withLease(work, "plan", (turn) => sealWhole(work, turn, version, clock.now()));
      if (sealed !== undefined) return { isSealed: true, outcome: { ...reader.outcome(), ...sealed } };
    }
  } finally {
    await announceVersion(work, undefined);
  }
}

/** Seals what was read of a snapshot whose version is pruned; its other accounts become final gaps with this message. */
export async function sealPruned(
  work: Pick<SnapshotWork, "engine" | "sharing" | "clock">,
  version: bigint,
  message: string,
): Promise<void> {
  const now = work.clock.now();
  const miss = { reason: "pruned", errorCode: null, httpStatus: null, message, attempts: 0, isFinal: true };
  await withLease(work, "plan", async (turn) => {
    await gapQueries(turn).missRest(version, miss, now);
    await sealQueries(turn, work.sharing.take.owner).seal(version, { now });
  });
}

/** Leaves to other nights what a chosen plan did not come to. Accounts that were asked and failed are gaps, and not passed over. */
async function passOverRest(work: SnapshotWork, turn: Engine, version: bigint, failed: readonly Miss[], now: number): Promise<void> {
  if ((await othersAt(work, version)) > 0) return;
  if (failed.length > 0 && (await pinQueries(turn).findPin(version))?.passedOver !== undefined) {
    // Another worker may have had an answer since.
    const planned = new Set(await pinQueries(turn).plannedTargets(version));
    for (const miss of failed) if (planned.has(miss.address)) await gapQueries(turn).commitMiss(version, miss, now);
  }
  await planQueries(turn).passOverRest(version);
}

/** Seals a snapshot whose accounts are all answered for, unless another did; undefined when more was planned meanwhile. */
async function sealWhole(
  work: Pick<SnapshotWork, "sharing">,
  turn: Engine,
  version: bigint,
  now: number,
): Promise<Pick<SnapshotOutcome, "isSealedByAnother"> | undefined> {
  const { planned, visited, missed } = await pinQueries(turn).progress(version);
  if (planned > 0) return undefined;
  if (visited + missed === 0 && (await sealQueries(turn).sealOf(version)) !== undefined) return { isSealedByAnother: true };
  await sealQueries(turn, work.sharing.take.owner).seal(version, { now });
  return {};
}
