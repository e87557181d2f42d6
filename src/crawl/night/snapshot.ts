import type { SealResult, Store, StoreInTurn } from "../../store/store.ts";
import { WorkerError } from "../workers/worker-error.ts";
import { SnapshotReader, type SnapshotWork } from "./snapshot-reader.ts";

/** The result of reading a snapshot. `seal` is undefined when the run ended before the plan was done. */
export type SnapshotOutcome = {
  readonly seal: SealResult | undefined;
  /** Whether it was sealed by another process that read it too: what follows a night is the other's to do. */
  readonly isSealedByAnother?: boolean;
  /** Whether the node pruned the pin before every target was read. */
  readonly isLost: boolean;
  readonly newBytecodes: number;
  /** Accounts read in this run that hold nothing: no modules, and no record or that of an account never used. */
  readonly empty: number;
};

/**
 * Reads what is left of a snapshot's plan and seals it: each planned account at exactly the pinned version. Other processes
 * may read it too; the last of them seals it, and each returns what it came to.
 *
 * @throws NodeError when the run cannot go on, or no account answered at all; the plan stays, for the next run to resume.
 *   WorkerError when this process's node has pruned the version, and others go on reading it
 */
export async function readSnapshot(work: SnapshotWork, version: bigint): Promise<SnapshotOutcome> {
  const { store, stop, clock } = work;
  await store.turnTo(version);
  try {
    const reader = await SnapshotReader.begin(work, version);
    for (;;) {
      await store.openBatches(version);
      await reader.read();
      const { lost, hasLost: isLost, newBytecodes, empty } = reader;
      if (lost !== undefined) {
        if ((await store.othersAt(version)) > 0) throw WorkerError.pruned(version, work.node);
        await store.inTurn("plan", (turn) => turn.missRest(version, lost, clock.now()));
      }
      // A plan that was chosen for the budget ends with it; any other goes on in the next run, or with others.
      else if (stop.reason === "budget") await store.inTurn("plan", (turn) => passOverRest(store, turn, version));
      if (lost === undefined && stop.reason !== undefined && (await store.progress(version)).planned > 0)
        return { seal: undefined, isLost, newBytecodes, empty };
      if (lost === undefined && reader.hopeless !== undefined) throw reader.hopeless;
      const sealed = await store.inTurn("plan", (turn) => sealWhole(turn, version, clock.now()));
      if (sealed !== undefined) return { ...sealed, isLost, newBytecodes, empty };
    }
  } finally {
    await store.turnTo(undefined);
  }
}

/** Seals what was read of a snapshot whose version is pruned; its other accounts become final gaps with this message. */
export async function sealPruned(
  { store, clock }: Pick<SnapshotWork, "store" | "clock">,
  version: bigint,
  message: string,
): Promise<SealResult> {
  const now = clock.now();
  const miss = { reason: "pruned", errorCode: null, httpStatus: null, message, attempts: 0, isFinal: true };
  return store.inTurn("plan", async (turn) => {
    await turn.missRest(version, miss, now);
    return turn.seal(version, { now });
  });
}

async function passOverRest(store: Store, turn: StoreInTurn, version: bigint): Promise<void> {
  if ((await store.othersAt(version)) === 0) await turn.passOverRest(version);
}

/** Seals a snapshot whose accounts are all answered for, unless another did; undefined when more was planned meanwhile. */
async function sealWhole(
  store: StoreInTurn,
  version: bigint,
  now: number,
): Promise<{ readonly seal: SealResult; readonly isSealedByAnother: boolean } | undefined> {
  const { planned, visited, missed } = await store.progress(version);
  if (planned > 0) return undefined;
  if (visited + missed === 0) {
    const seal = await store.sealOf(version);
    if (seal !== undefined) return { seal, isSealedByAnother: true };
  }
  return { seal: await store.seal(version, { now }), isSealedByAnother: false };
}
