import { AsyncLocalStorage } from "node:async_hooks";
import { invariant } from "../../errors.ts";
import { kinds, postgresqlType } from "../schema/column.ts";
import { countRows, empty } from "../schema/sql/functions.ts";
import { checkName, inDialect, named, type Sql, sql } from "../schema/sql/sql.ts";
import type { BareTransaction, BulkTable, Engine, Session, Transaction } from "./engine.ts";

const inside = new AsyncLocalStorage<readonly object[]>();

export function runInside<T>(engine: object, work: () => Promise<T>): Promise<T> {
  return inside.run([...(inside.getStore() ?? []), engine], work);
}

/** Refuses a question to the engine from within one of its transactions: in SQLite it would wait for itself for ever. */
export function assertOutside(engine: object): void {
  invariant(!inside.getStore()?.includes(engine), "within a transaction the transaction has to be asked, not the engine");
}

/** A server drops a table of a transaction's own itself. A file's engine does it, before it commits. */
const atItsEnd = inDialect((dialect) => (dialect === "sqlite" ? "" : "ON COMMIT DROP"));

const makeTemporary = ({ name, columns }: BulkTable): Sql =>
  sql`CREATE TEMP TABLE ${named(name)} (${inDialect((dialect) =>
    Object.entries(columns)
      .map(([column, { kind }]) => `${checkName(column)} ${dialect === "sqlite" ? kinds[kind].sqlite : postgresqlType(kind)}`)
      .join(", "),
  )}) ${atItsEnd}`;

/**
 * The whole of what an engine does in a transaction, with two rules that hold on every engine: after a failed statement `check` throws
 * that failure again, so that it is rolled back even if the work caught it; and it is of no use after its end. Failures are translated.
 */
export function guardTransaction(bare: BareTransaction, translate: (error: unknown) => unknown = (error) => error) {
  let failure: { readonly error: unknown } | undefined;
  let isOver = false;
  const forgetting: (() => void)[] = [];
  // Filled anew where they are staged again: a server keeps a lock for each table that a transaction ever made.
  const staged = new Set<string>();
  const check = () => {
    if (failure !== undefined) throw failure.error;
  };
  const start = () => {
    invariant(!isOver, "this transaction has ended: what it does has to be awaited within its work");
    check();
  };
  const failed = (error: unknown): never => {
    failure ??= { error: translate(error) };
    throw failure.error;
  };
  const guard = <M extends (...args: never[]) => Promise<unknown>>(method: M): M =>
    (async (...args: Parameters<M>) => {
      start();
      return await method(...args).catch(failed);
    }) as unknown as M;
  const [run, bulkAll] = [guard(bare.run), guard(bare.bulkAll)];
  const bulk: Transaction["bulk"] = (...load) => bulkAll([load]);
  /** Whether a table was staged before; it is empty then. */
  const isEmptied = async (name: string): Promise<boolean> => {
    const isThere = staged.has(name);
    if (isThere) await run(empty(name));
    staged.add(name);
    return isThere;
  };
  const guarded: Transaction = {
    all: guard(bare.all),
    first: guard(bare.first),
    run,
    stream: async function* (...args: Parameters<Session["stream"]>) {
      start();
      try {
        yield* bare.stream(...args);
      } catch (error) {
        failed(error);
      }
    } as Session["stream"],
    bulk,
    bulkAll,
    stage: async (table, rows) => {
      if (!(await isEmptied(table.name))) await run(makeTemporary(table));
      await bulk(table, rows);
      await run(countRows(table.name));
    },
    stageSelect: async (name, select, values) => {
      if (await isEmptied(name)) await run(sql`INSERT INTO ${named(name)} ${select}`, values);
      else await run(sql`CREATE TEMP TABLE ${named(name)} ${atItsEnd} AS ${select}`, values);
      await run(countRows(name));
    },
    onRollback: (forget) => forgetting.push(forget),
  };
  /** Tells those who remember what the transaction wrote that it was rolled back. */
  const rolledBack = (): void => {
    for (const forget of forgetting) forget();
  };
  return { guarded, staged, check, end: () => (isOver = true), rolledBack, failure: () => failure?.error };
}

/** An engine whose transactions are parts of one that is open: nothing is committed before the whole is, and a part that fails fails it. */
export function engineWithin(tx: Transaction): Engine {
  return { ...tx, gatherMs: 0, transaction: (work) => work(tx), close: async () => {} };
}
