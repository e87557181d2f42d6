import type { SealResult } from "../../store/store.ts";
import { SnapshotReader, type SnapshotWork } from "./snapshot-reader.ts";

/** The result of reading a snapshot. `seal` is undefined when the run ended before the plan was done. */
export type SnapshotOutcome = {
  readonly seal: SealResult | undefined;
  /** Whether the node pruned the pin before every target was read. */
  readonly isLost: boolean;
  readonly newBytecodes: number;
  /** Accounts read in this run that hold nothing: no modules, and no record or that of an account never used. */
  readonly empty: number;
};

/** How often an account is read in one run, each time with all the retries of its requests, and the pause between. */
const ROUNDS = 3;
const ROUND_PAUSE_MS = 2_000;

/**
 * Reads what is left of a snapshot's plan and seals it: each planned account at exactly the pinned version, stored in a
 * transaction of its own. An account that fails is tried again in later rounds, then recorded as a gap with its reason.
 *
 * @throws NodeError when the run cannot go on, or no account answered at all; the plan stays, for the next run to resume
 */
export async function readSnapshot(work: SnapshotWork, version: bigint): Promise<SnapshotOutcome> {
  const reader = await SnapshotReader.begin(work, version);
  for (let round = 1; round <= ROUNDS; round++) {
    const postponed = await reader.round(round === ROUNDS);
    if (work.stop.reason !== undefined || reader.lost !== undefined || postponed === 0) break;
    await pause(work);
  }
  const { lost, hasLost, newBytecodes, empty } = reader;
  if (lost !== undefined) await work.store.missRest(version, lost, work.clock.now());
  // A plan that was chosen for the budget ends with it; any other goes on in the next run.
  else if (work.stop.reason === "budget") await work.store.passOverRest(version);
  if (lost === undefined && work.stop.reason !== undefined && (await work.store.progress(version)).planned > 0)
    return { seal: undefined, isLost: hasLost, newBytecodes, empty };
  if (lost === undefined && reader.hopeless !== undefined) throw reader.hopeless;
  const seal = await work.store.seal(version, { now: work.clock.now() });
  return { seal, isLost: hasLost, newBytecodes, empty };
}

/** Seals what was read of a snapshot whose version is pruned; its other accounts become final gaps with this message. */
export async function sealPruned(work: Pick<SnapshotWork, "store" | "clock">, version: bigint, message: string): Promise<SealResult> {
  const now = work.clock.now();
  await work.store.missRest(version, { reason: "pruned", errorCode: null, httpStatus: null, message, attempts: 0, isFinal: true }, now);
  return work.store.seal(version, { now });
}

async function pause(work: SnapshotWork): Promise<void> {
  try {
    await work.clock.sleep(ROUND_PAUSE_MS, work.stop.signal);
  } catch {
    // The run is to end at once; the caller sees the reason.
  }
}
