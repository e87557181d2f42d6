import type { Clock } from "../../base/time.ts";
import { CLAIM_MS, type Claim, type Claims } from "../../db/archive/snapshots/claims.ts";

/** The pause before an account that failed is tried again, by whichever process takes it then. */
const ROUND_PAUSE_MS = 2_000;

/**
 * The accounts of a plan that this process reads, until each is answered for. They stay its own for as long as the node answers anything:
 * a claim that a slow node let run out costs other processes the same requests, and changes nothing.
 */
export function claimedAccounts(claims: Claims, version: bigint, clock: Pick<Clock, "monotonic">, atOnce: number) {
  const inHand = new Set<number>();
  const postponed = new Set<number>();
  const last = new Set<number>();
  let extendedMs = clock.monotonic();

  return {
    count: (): number => inHand.size,
    /**
     * Claims free accounts while they are walked, in the order of the plan: several at a time of those that nobody has claimed yet. With
     * `again` those that failed or were given back, one at a time: an account that kills its process then takes few others along.
     */
    walk: async function* (again: boolean): AsyncGenerator<Claim> {
      for (let after = -1; ; ) {
        const taken = await claims.claimAccounts(version, { after, limit: again ? 1 : atOnce, again });
        for (const { account } of taken) inHand.add(account);
        for (const one of taken) yield one;
        const last = taken.at(-1);
        if (last === undefined) return;
        after = last.position;
      }
    },
    settle: (account: number): void => {
      inHand.delete(account);
    },
    postpone: async (account: number): Promise<void> => {
      inHand.delete(account);
      postponed.add(account);
      await claims.extendClaims(version, [account], ROUND_PAUSE_MS);
    },
    /** Has the next run read all other accounts before this one. */
    leaveLast: (account: number): void => {
      last.add(account);
    },
    /** Keeps the claims of all accounts in hand for longer, since the node has answered. */
    keep: async (): Promise<void> => {
      if (clock.monotonic() - extendedMs < CLAIM_MS / 4) return;
      extendedMs = clock.monotonic();
      await claims.extendClaims(version, inHand);
    },
    giveBack: async (): Promise<void> => {
      const left = [...inHand, ...postponed];
      inHand.clear();
      postponed.clear();
      if (left.length > 0) await claims.releaseClaims(version, left).catch(() => {});
      for (const account of last) await claims.putLast(version, account).catch(() => {});
      last.clear();
    },
  };
}
