import type { Kind } from "../schema/column.ts";
import type { Row, Sql, Values } from "../schema/sql/sql.ts";

export type { Row, Values } from "../schema/sql/sql.ts";

/** A whole number as an engine hands it over: exact, a bigint only beyond 2^53 − 1. */
export type Integer = number | bigint;

/** What can be asked and done, within a transaction or, each statement on its own, outside of one. */
export type Session = {
  /** All rows of a statement: a SELECT, or anything with RETURNING. */
  readonly all: <R extends Row, V extends Values = Values>(statement: Sql<R, V>, values?: V) => Promise<R[]>;
  readonly first: <R extends Row, V extends Values = Values>(statement: Sql<R, V>, values?: V) => Promise<R | undefined>;
  /** Runs a statement. @returns how many rows it inserted, changed or deleted */
  readonly run: <V extends Values>(statement: Sql<Row, V>, values?: V) => Promise<number>;
  /**
   * The rows of a SELECT of any length, in lists of up to 1,000. Within a transaction only questions may come between
   * them until all have been walked; outside of one they are those of the moment at which the walk began.
   */
  readonly stream: <R extends Row, V extends Values = Values>(select: Sql<R, V>, values?: V) => AsyncIterable<R[]>;
};

export type BulkTable = { readonly name: string; readonly columns: Readonly<Record<string, { readonly kind: Kind }>> };

/** Rows for a bulk load. Cells follow the table's columns and kinds: `u64` as a bigint or text, `json` as text, `bytes` also as hex. */
export type BulkRows = Iterable<readonly unknown[]> | FlatRows;

/** Rows with all cells in one list, row after row: several hundred thousand lists would keep the garbage collector busy. */
export type FlatRows = { readonly cells: readonly unknown[] };

export type BulkLoad = readonly [table: BulkTable, rows: BulkRows];

/**
 * A transaction. It ends with the work that it was opened for; what it staged is gone then. A statement that failed fails
 * the transaction, even where its error is caught: so it is on every engine.
 */
export type Transaction = Session & {
  /** Loads rows into a table: by COPY in PostgreSQL, by many rows a statement in SQLite. */
  readonly bulk: (table: BulkTable, rows: BulkRows) => Promise<void>;
  /** Loads rows into several tables, in their order: on a server in one round. */
  readonly bulkAll: (loads: readonly BulkLoad[]) => Promise<void>;
  /** Loads rows into a temporary table, which is dropped when the transaction ends. An engine that only reads cannot do it, nor `bulk`. */
  readonly stage: (table: BulkTable, rows: BulkRows) => Promise<void>;
  readonly stageSelect: (name: string, select: Sql, values?: Values) => Promise<void>;
  /** Calls `forget` if the transaction is rolled back: what was remembered of its rows is wrong then. */
  readonly onRollback: (forget: () => void) => void;
};

/** The part of a transaction that each engine implements itself. `guardTransaction` adds the rest. */
export type BareTransaction = Session & Pick<Transaction, "bulkAll">;

/** The mode of a transaction: writing (the default), or reading one consistent state of the database. */
export type TransactionOptions = {
  readonly mode?: "write" | "read";
  /**
   * Joins tables in the order in which a statement has them, by indexes: for questions about few rows. A server then plans in a fraction
   * of the time, and reads no large table as a whole, whatever it takes the number of rows for. A file keeps that order with CROSS JOIN.
   */
  readonly joins?: "as-written";
};

/** A database as the store's questions see it. They never ask which one it is. */
export type Engine = Session & {
  /**
   * How long visits wait for others before one transaction stores them, in milliseconds. A transaction costs a file as much as writing
   * twenty visits that changed nothing. On a server it takes a dozen statements over a network.
   */
  readonly gatherMs: number;
  /**
   * Does a piece of work in one transaction: committed when it is done, rolled back when it fails. It asks the transaction, never
   * the engine, and awaits nothing else. On a server it may run again: after a conflict, or after a COMMIT that
   * went unanswered and may have been done. So it changes nothing outside, and what it writes comes to the same the second time.
   */
  readonly transaction: <T>(work: (transaction: Transaction) => Promise<T>, options?: TransactionOptions) => Promise<T>;
  /** Calls `forget` whenever a server was lost: what it had committed it may lack, and number anew. A file loses nothing. */
  readonly onLost?: (forget: () => void) => void;
  readonly close: () => Promise<void>;
};
