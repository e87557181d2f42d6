import type { Engine } from "../engine/engine.ts";
import { assertHeld, type Lease } from "./leases.ts";

/**
 * An engine that writes only while a lease is held: each writing transaction makes sure of it last, so that one who was taken
 * for dead and comes back too late changes nothing.
 *
 * @throws StoreError `MOVEDEX_STORE_FENCED` from a transaction when another has taken the lease over
 */
export function fencedEngine(engine: Engine, lease: Lease): Engine {
  const transaction: Engine["transaction"] = (work, how = {}) => {
    if (how.mode === "read") return engine.transaction(work, how);
    return engine.transaction(async (tx) => {
      const result = await work(tx);
      await assertHeld(tx, lease);
      return result;
    }, how);
  };
  return { ...engine, transaction, run: (statement, values) => transaction((tx) => tx.run(statement, values)) };
}
