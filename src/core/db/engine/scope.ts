import { AsyncLocalStorage } from "node:async_hooks";
import { invariant } from "../../errors.ts";
import { countRows, empty } from "../schema/sql/functions.ts";
import { named, sql } from "../schema/sql/sql.ts";
import type { BareTransaction, Engine, Session, Transaction } from "./engine.ts";

const inside = new AsyncLocalStorage<readonly object[]>();

export function runInside<T>(engine: object, work: () => Promise<T>): Promise<T> {
  return inside.run([...(inside.getStore() ?? []), engine], work);
}

/** Refuses a question to the engine from within one of its transactions: in SQLite it would wait for itself for ever. */
export function assertOutside(engine: object): void {
  invariant(!inside.getStore()?.includes(engine), "within a transaction the transaction has to be asked, not the engine");
}

/**
 * A transaction that keeps two rules on every engine: after a failed statement `check` throws that failure again, so that it is
 * rolled back even if the work caught it; and it is of no use after its end. Failures are translated.
 */
export function guardTransaction(transaction: BareTransaction, translate: (error: unknown) => unknown = (error) => error) {
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
  /** Tells those who remember what the transaction wrote that it was rolled back. */
  const rolledBack = (): void => {
    for (const forget of forgetting) forget();
  };
  return { guarded, check, end: () => (isOver = true), rolledBack, failure: () => failure?.error };
}

/**
 * An engine whose transactions are parts of one that is open: what a part stages is gone at its end, and nothing is committed before
 * the whole is. A part that fails fails the whole.
 */
export function engineWithin(tx: Transaction): Engine {
  // Tables are emptied and filled again: a server keeps a lock for each that a transaction ever made.
  const made = new Set<string>();
  const part = (used: Set<string>): Transaction => {
    /** Whether a table is there, for the rows that come. */
    const isMade = (name: string): boolean => {
      used.add(name);
      if (made.has(name)) return true;
      made.add(name);
      return false;
    };
    return {
      ...tx,
      stage: async (table, rows) => {
        if (!isMade(table.name)) return tx.stage(table, rows);
        const count = await tx.bulk(table, rows);
        await tx.all(countRows(table.name));
        return count;
      },
      stageSelect: async (name, select, values) => {
        if (!isMade(name)) return tx.stageSelect(name, select, values);
        await tx.run(sql`INSERT INTO ${named(name)} ${select}`, values);
        await tx.all(countRows(name));
      },
    };
  };
  return {
    ...tx,
    gatherMs: 0,
    transaction: async (work) => {
      const used = new Set<string>();
      const result = await work(part(used));
      for (const name of used) await tx.run(empty(name));
      return result;
    },
    close: async () => {},
  };
}
