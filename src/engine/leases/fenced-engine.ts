import type { Engine, Session } from "../engine.ts";
import { assertHeld, assertTurn, type Lease } from "./leases.ts";

/** An engine whose writing transactions check a lease last. @throws StoreError `MOVEDEX_STORE_FENCED` when another has taken it over */
export function fencedEngine(engine: Engine, lease: Lease): Engine {
  return withChecks(engine, { last: (tx) => assertHeld(tx, lease) });
}

/**
 * The same for what one process at a time does. Each writing transaction makes sure of the turn first as well: two that wrote the same
 * rows in different orders, one of them too late, would wait for each other again and again.
 */
export function turnEngine(engine: Engine, turn: Lease): Engine {
  return withChecks(engine, { first: (tx) => assertTurn(tx, turn), last: (tx) => assertHeld(tx, turn) });
}

type Check = (tx: Session) => Promise<void>;

function withChecks(engine: Engine, { first, last }: { readonly first?: Check; readonly last: Check }): Engine {
  const transaction: Engine["transaction"] = (work, how = {}) => {
    if (how.mode === "read") return engine.transaction(work, how);
    return engine.transaction(async (tx) => {
      await first?.(tx);
      const result = await work(tx);
      await last(tx);
      return result;
    }, how);
  };
  return { ...engine, transaction, run: (statement, values) => transaction((tx) => tx.run(statement, values)) };
}
