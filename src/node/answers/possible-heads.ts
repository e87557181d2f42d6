import type { LedgerHead } from "../protocol/ledger-head.ts";

/** No ledger of this kind makes more versions than this in a second; the busiest benchmarks are a third of it. */
const VERSIONS_PER_SECOND = 100_000n;
/** Versions that two nodes of one address may be apart at one ledger time. */
const SLACK_USEC = 60_000_000n;
/** How far ahead of its own clock's progress a ledger's time may come, as when a balancer changes to a node that lagged. */
const DAY_USEC = 86_400_000_000n;
/** How far a node's clock may be ahead of this machine's. */
const SKEW_USEC = 600_000_000n;

/** A head and when it was observed: the wall clock and the monotonic one, in milliseconds. */
export type ObservedHead = {
  readonly head: Pick<LedgerHead, "ledgerVersion" | "timestampUsec">;
  readonly nowMs: number;
  readonly atMs: number;
};

/**
 * Whether a head can be what became of an earlier one. Going back is always possible, since a node may lag behind another;
 * forwards, versions need ledger time to be made in, and ledger time passes as it does here, or has caught up with the wall clock.
 */
export function canFollow(earlier: ObservedHead, later: ObservedHead): boolean {
  const rise = later.head.timestampUsec - earlier.head.timestampUsec;
  const elapsedUsec = BigInt(Math.max(0, Math.round((later.atMs - earlier.atMs) * 1000)));
  const nowUsec = BigInt(Math.round(later.nowMs * 1000));
  if (rise > elapsedUsec + DAY_USEC && later.head.timestampUsec > nowUsec + SKEW_USEC) return false;
  return hasTimeToFollow(earlier, later);
}

/** Whether the ledger time between two heads is enough for the versions between them, whatever the clocks of machines say. */
export function hasTimeToFollow({ head: earlier }: Pick<ObservedHead, "head">, { head: later }: Pick<ObservedHead, "head">): boolean {
  const rise = later.timestampUsec - earlier.timestampUsec;
  const made = later.ledgerVersion - earlier.ledgerVersion;
  return made * 1_000_000n <= VERSIONS_PER_SECOND * ((rise > 0n ? rise : 0n) + SLACK_USEC);
}

/** Whether a ledger that began in 1970 could have so many versions by its own time. Without a time in the head, the wall clock counts. */
export function isPossible({ head, nowMs }: ObservedHead): boolean {
  const usec = head.timestampUsec === 0n ? BigInt(Math.round(nowMs * 1000)) : head.timestampUsec;
  return head.ledgerVersion * 1_000_000n <= VERSIONS_PER_SECOND * (usec + SLACK_USEC);
}
