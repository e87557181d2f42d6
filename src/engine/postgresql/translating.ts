import type { Session, Transaction } from "../engine.ts";

/** A transaction whose failures come out translated. */
export function translating(transaction: Transaction, translate: (error: unknown) => unknown): Transaction {
  const wrap = <A extends unknown[], T>(method: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      try {
        return await method(...args);
      } catch (error) {
        throw translate(error);
      }
    };
  };
  async function* stream(...args: Parameters<Session["stream"]>) {
    try {
      yield* transaction.stream(...args);
    } catch (error) {
      throw translate(error);
    }
  }
  return {
    all: wrap(transaction.all) as Session["all"],
    first: wrap(transaction.first) as Session["first"],
    run: wrap(transaction.run),
    stream: stream as Session["stream"],
    bulk: wrap(transaction.bulk),
    stage: wrap(transaction.stage),
    keep: wrap(transaction.keep),
  };
}
