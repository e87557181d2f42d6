import { AsyncLocalStorage } from "node:async_hooks";
import { invariant } from "../errors.ts";
import type { BareTransaction, Session, Transaction } from "./engine.ts";

/** The engines in whose transactions the running code is. */
const inside = new AsyncLocalStorage<readonly object[]>();

/** Does a transaction's work, during which the engine itself must not be asked. */
export function runInside<T>(engine: object, work: () => Promise<T>): Promise<T> {
  return inside.run([...(inside.getStore() ?? []), engine], work);
}

/** Refuses a question to the engine from within one of its transactions: in SQLite it would wait for itself for ever. */
export function assertOutside(engine: object): void {
  invariant(!inside.getStore()?.includes(engine), "within a transaction the transaction has to be asked, not the engine");
}

export type Guard = {
  readonly guarded: Transaction;
  readonly check: () => void;
  readonly end: () => void;
  /** Tells those who remember what the transaction wrote that it was rolled back. */
  readonly rolledBack: () => void;
  /** The error of the statement that failed, if one did. */
  readonly failure: () => unknown;
};

/**
 * A transaction that keeps two rules on every engine: after a failed statement `check` throws that failure again, so that it is
 * rolled back even if the work caught it; and it is of no use after its end. Failures are translated.
 */
export function guardTransaction(transaction: BareTransaction, translate: (error: unknown) => unknown = (error) => error): Guard {
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  const forgetting: (() => void)[] = [];
  const check = () => {
    if (failure !== undefined) throw failure.error;
  };
  const fail = (error: unknown): unknown => {
    failure ??= { error: translate(error) };
    return failure.error;
  };
  const start = () => {
    invariant(!isOver, "this transaction has ended: what it does has to be awaited within its work");
    check();
  };
  const guard = <A extends unknown[], T>(method: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      start();
      try {
        return await method(...args);
      } catch (error) {
        throw fail(error);
      }
    };
  };
  async function* stream(...args: Parameters<Session["stream"]>) {
    start();
    try {
      yield* transaction.stream(...args);
    } catch (error) {
      throw fail(error);
    }
  }
  const guarded: Transaction = {
    all: guard(transaction.all) as Session["all"],
    first: guard(transaction.first) as Session["first"],
    run: guard(transaction.run),
    stream: stream as Session["stream"],
    bulk: guard(transaction.bulk),
    bulkAll: guard(transaction.bulkAll),
    stage: guard(transaction.stage),
    stageSelect: guard(transaction.stageSelect),
    onRollback: (forget) => forgetting.push(forget),
  };
  const rolledBack = (): void => {
    for (const forget of forgetting) forget();
  };
  return { guarded, check, end: () => (isOver = true), rolledBack, failure: () => failure?.error };
}

/** A number of places, each for one at a time; the others wait, in the order in which they came. One place is a mutex. */
export type Slots = {
  readonly enter: () => Promise<void>;
  readonly leave: () => void;
  /** Does a piece of work in a place. Where one is free it begins at once, before the call returns. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>;
};

export function createSlots(places: number): Slots {
  const waiting: (() => void)[] = [];
  let free = places;
  const enter = async () => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) free++;
    else next();
  };
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free--;
    else await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
  return { enter, leave, run };
}
