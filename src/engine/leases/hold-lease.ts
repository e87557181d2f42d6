import type { Engine } from "../engine.ts";
import { heldByAnother, type Lease, releaseLease, renewLease, takeLease } from "./leases.ts";

/** A lease that is renewed until it is released, or the process ends. */
export type HeldLease = { readonly lease: Lease; readonly release: () => Promise<void> };

/** How long others wait for a holder that died. */
export const LEASE_MS = 30_000;

/**
 * Takes a lease and renews it three times in its span. A server that is away for the moment gives it to no other process either:
 * what writes will tell. @throws StoreError `MOVEDEX_STORE_LOCKED` when another holds it
 */
export async function holdLease(engine: Engine, name: string, now: () => number): Promise<HeldLease> {
  const options = { now, ttlMs: LEASE_MS };
  const lease = await takeLease(engine, name, options);
  if (lease === undefined) throw await heldByAnother(engine, name);
  return heldUntilReleased(engine, lease, now);
}

export function heldUntilReleased(engine: Engine, lease: Lease, now: () => number): HeldLease {
  const options = { now, ttlMs: LEASE_MS };
  const renewing = setInterval(() => void renewLease(engine, lease, options).catch(() => {}), LEASE_MS / 3).unref();
  return {
    lease,
    release: async () => {
      clearInterval(renewing);
      // Where that fails the lease ends by itself.
      await releaseLease(engine, lease).catch(() => {});
    },
  };
}
