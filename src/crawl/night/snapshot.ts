import type { Miss } from "../../archive/content/visit-model.ts";
import type { LeasedStore, Store } from "../../work/store.ts";
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
  const { store, stop, clock } = work;
  await store.announceVersion(version);
  try {
    const reader = await openReader(work, version);
    for (;;) {
      await store.openBatches(version);
      await reader.read();
      const { lost, postponed, hopeless } = reader.failures;
      if (lost !== undefined) {
        if ((await store.othersAt(version)) > 0) throw WorkerError.pruned(version, work.node);
        await store.withLease("plan", (turn) => turn.missRest(version, lost, clock.now()));
      } else {
        // A plan that was chosen for the budget ends with it; any other goes on in the next run, or with others.
        if (stop.reason === "budget") await store.withLease("plan", (turn) => passOverRest(store, turn, version, postponed, clock.now()));
        if (stop.reason !== undefined && (await store.progress(version)).planned > 0) return { isSealed: false, outcome: reader.outcome() };
        if (hopeless !== undefined) throw hopeless;
      }
      const sealed = await store.withLease("plan", (turn) => sealWhole(turn, version, clock.now()));
      if (sealed !== undefined) return { isSealed: true, outcome: { ...reader.outcome(), ...sealed } };
    }
  } finally {
    await store.announceVersion(undefined);
  }
}

/** Seals what was read of a snapshot whose version is pruned; its other accounts become final gaps with this message. */
export async function sealPruned({ store, clock }: Pick<SnapshotWork, "store" | "clock">, version: bigint, message: string): Promise<void> {
  const now = clock.now();
  const miss = { reason: "pruned", errorCode: null, httpStatus: null, message, attempts: 0, isFinal: true };
  await store.withLease("plan", async (turn) => {
    await turn.missRest(version, miss, now);
    await turn.seal(version, { now });
  });
}

/** Leaves to other nights what a chosen plan did not come to. Accounts that were asked and failed are gaps, and not passed over. */
async function passOverRest(store: Store, turn: LeasedStore, version: bigint, failed: readonly Miss[], now: number): Promise<void> {
  if ((await store.othersAt(version)) > 0) return;
  if (failed.length > 0 && (await turn.findPin(version))?.passedOver !== undefined) {
    // Another worker may have had an answer since.
    const planned = new Set(await turn.plannedTargets(version));
    for (const miss of failed) if (planned.has(miss.address)) await turn.commitMiss(version, miss, now);
  }
  await turn.passOverRest(version);
}

/** Seals a snapshot whose accounts are all answered for, unless another did; undefined when more was planned meanwhile. */
async function sealWhole(turn: LeasedStore, version: bigint, now: number): Promise<Pick<SnapshotOutcome, "isSealedByAnother"> | undefined> {
  const { planned, visited, missed } = await turn.progress(version);
  if (planned > 0) return undefined;
  if (visited + missed === 0 && (await turn.sealOf(version)) !== undefined) return { isSealedByAnother: true };
  await turn.seal(version, { now });
  return {};
}
