import type { Clock } from "../../base/clock.ts";
import type { SealResult } from "../../store/snapshots/seal.ts";
import type { Store } from "../../store/store.ts";

/** What cannot be read any more of a snapshot becomes gaps for good, with a message that says why; what was read is sealed. */
export async function sealPruned(
  work: { readonly store: Store; readonly clock: Clock },
  version: bigint,
  message: string,
): Promise<SealResult> {
  const now = work.clock.now();
  await work.store.missRest(version, { reason: "pruned", errorCode: null, httpStatus: null, message, attempts: 0, isFinal: true }, now);
  return work.store.seal(version, { now });
}
