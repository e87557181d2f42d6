import type { SealResult } from "../../store/store.ts";
import { Reading, type SnapshotWork } from "./snapshot-reader.ts";

/** What came of reading a snapshot. `seal` is undefined when the run ended before the plan did. */
export type SnapshotOutcome = {
  readonly seal: SealResult | undefined;
  /** Whether the node pruned the pin before every target was read. */
  readonly isLost: boolean;
  readonly newBytecodes: number;
};

/** How often an account is tried in one run, each time after all that the node's door tries itself, and the pause between. */
const ROUNDS = 3;
const ROUND_PAUSE_MS = 2_000;

/**
 * Reads what is left of a snapshot's plan and seals it: each planned account at exactly the pinned version, stored in a
 * transaction of its own. An account that fails is tried again in later rounds, then recorded as a gap with its reason.
 *
 * @throws NodeError when the run cannot go on, or no account answered at all; the plan stays, for the next run to resume
 */
export async function readSnapshot(work: SnapshotWork, version: bigint): Promise<SnapshotOutcome> {
  const reading = await Reading.begin(work, version);
  for (let round = 1; round <= ROUNDS; round++) {
    const postponed = await reading.round(round === ROUNDS);
    if (work.stop.reason !== undefined || reading.lost !== undefined || postponed === 0) break;
    await pause(work);
  }
  const { lost, hasLost, newBytecodes } = reading;
  if (lost !== undefined) await work.store.missRest(version, lost, work.clock.now());
  else if (work.stop.reason !== undefined && (await work.store.progress(version)).planned > 0)
    return { seal: undefined, isLost: hasLost, newBytecodes };
  else if (reading.hopeless !== undefined) throw reading.hopeless;
  const seal = await work.store.seal(version, { now: work.clock.now() });
  return { seal, isLost: hasLost, newBytecodes };
}

async function pause(work: SnapshotWork): Promise<void> {
  try {
    await work.clock.sleep(ROUND_PAUSE_MS, work.stop.signal);
  } catch {
    // Told to end at once; the caller sees the reason.
  }
}
