import { countRows } from "../schema/sql/functions.ts";
import { type Dialect, named, sql, verbatim } from "../schema/sql/sql.ts";
import type { Engine, Transaction } from "./engine.ts";

/**
 * An engine whose transactions are parts of one that is open: what a part stages is gone at its end, and nothing is committed before
 * the whole is. A part that fails fails the whole.
 */
export function engineWithin(tx: Transaction, dialect: Dialect): Engine {
  // Tables are emptied and filled again: a server keeps a lock for each that a transaction ever made.
  const made = new Set<string>();
  const empty = verbatim(dialect === "postgresql" ? "TRUNCATE" : "DELETE FROM");
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
    dialect,
    transaction: async (work) => {
      const used = new Set<string>();
      const result = await work(part(used));
      for (const name of used) await tx.run(sql`${empty} ${named(name)}`);
      return result;
    },
    close: async () => {},
  };
}
