import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../engine/engine.ts";
import { fenced, heldByAnother, type Lease, releaseLease, renewLease, takeLease } from "./leases.ts";

/** How a piece of work holds its lease. */
export type WithLeaseOptions = { readonly clock: Clock; readonly ttlMs?: number; readonly isAlone?: boolean };

const TTL_MS = 30_000;

/**
 * Does a piece of work under a lease, which is renewed three times in its span and given back at the end.
 *
 * `signal` is aborted when another has taken the work over. It only ends the work early: what keeps a late writer from
 * writing is `assertHeld` in each of its transactions.
 *
 * @throws StoreError `MOVEDEX_STORE_LOCKED` when another holds it, `MOVEDEX_STORE_FENCED` when another took it over
 */
export async function withLease<T>(
  engine: Engine,
  name: string,
  { clock, ttlMs = TTL_MS, isAlone = false }: WithLeaseOptions,
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = { now: clock.now, ttlMs };
  const lease = await takeLease(engine, name, { ...options, isAlone });
  if (lease === undefined) throw await heldByAnother(engine, name);
  const taken = new AbortController();
  const over = new AbortController();
  const renewing = (async () => {
    for (;;) {
      await clock.sleep(ttlMs / 3, over.signal);
      // A database that is away for the moment takes nothing over; the next renewal, or the next transaction, will tell.
      const isHeld = await renewLease(engine, lease, options).catch(() => true);
      if (!isHeld) return taken.abort(fenced(lease));
    }
  })().catch(() => {});
  try {
    return await work(lease, taken.signal);
  } finally {
    over.abort();
    await renewing;
    // Where that fails the lease ends by itself, and what the work threw is not hidden.
    await releaseLease(engine, lease).catch(() => {});
  }
}
