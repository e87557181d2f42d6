import type { Engine, Session } from "./engine.ts";

/** A database as it was at one moment, until it is closed. */
export type Reading = { readonly session: Session; readonly close: () => Promise<void> };

/** Begins a transaction that only reads, for work that is no single function: until `close`, all that is asked is of one state. */
export async function beginReading(engine: Engine): Promise<Reading> {
  const begun = Promise.withResolvers<Session>();
  const closed = Promise.withResolvers<void>();
  const whole = engine.transaction(
    async (transaction) => {
      begun.resolve(transaction);
      await closed.promise;
    },
    { mode: "read" },
  );
  whole.catch(begun.reject);
  return {
    session: await begun.promise,
    close: async () => {
      closed.resolve();
      // A statement that failed was told to whoever asked it.
      await whole.catch(() => undefined);
    },
  };
}
