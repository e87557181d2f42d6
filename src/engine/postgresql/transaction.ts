import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { postgresqlType } from "../../schema/kinds.ts";
import { checkName, named, sql } from "../../schema/sql/sql.ts";
import type { BulkRows, BulkTable, FlatRows, Row, Transaction } from "../engine.ts";
import { BinaryRows } from "./binary-rows.ts";
import type { Answer, Client, Driver, Question } from "./driver.ts";
import { plainQuestion, question } from "./questions.ts";

/** Statements that change nothing, by the server's word for them. */
const QUESTIONS: ReadonlySet<string> = new Set(["SELECT", "DECLARE CURSOR"]);

/** Rows of one list of a stream. */
const LIST = 1_000;

/** A transaction, and whether anything but questions was asked in it. */
export type TransactionOn = { readonly transaction: Transaction; readonly hasWritten: () => boolean };

/** A transaction on a connection on which it has begun; failures as `pg` gives them. `keepsPlans`: the next one finds its statements. */
export function transactionOn(client: Client, copyFrom: Driver["copyFrom"], keepsPlans = false): TransactionOn {
  let cursors = 0;
  let hasWritten = false;
  // Readers may send several queries at once, but a connection answers one after another, and `pg` 9 refuses a query that comes too early.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const query = (asked: string | Question): Promise<Answer> => inTurn(() => client.query(asked));
  const ask = async (...[statement, values = {}]: Parameters<Transaction["all"]>): Promise<Answer> => {
    const answer = await query(question(statement, values, keepsPlans));
    // The store has no SELECT that writes: none with a changing statement in its WITH, none that calls a function which does.
    hasWritten ||= !QUESTIONS.has(answer.command);
    return answer;
  };
  const all = async <R extends Row>(...question: Parameters<Transaction["all"]>): Promise<R[]> =>
    (await ask(...question)).rows as unknown as R[];
  const run: Transaction["run"] = async (...question) => (await ask(...question)).rowCount ?? 0;
  const copy: Transaction["bulk"] = (table, rows) => {
    hasWritten = true;
    return inTurn(() => copyRows(client, copyFrom, table, rows));
  };

  const transaction: Transaction = {
    all,
    first: async (statement, values) => (await all<never>(statement, values))[0],
    run,
    stream: async function* <R extends Row>(...[select, values]: Parameters<Transaction["stream"]>) {
      const cursor = `rows_${++cursors}`;
      await run(sql`DECLARE ${named(cursor)} NO SCROLL CURSOR FOR ${select}`, values);
      for (let isOver = false; !isOver; ) {
        const { rows } = await query(plainQuestion(`FETCH ${LIST} FROM ${cursor}`));
        if (rows.length > 0) yield rows as unknown as R[];
        isOver = rows.length < LIST;
      }
      await query(`CLOSE ${cursor}`);
    },
    bulk: copy,
    stage: async (table, rows) => {
      const name = checkName(table.name);
      const columns = Object.entries(table.columns).map(([column, { kind }]) => `${checkName(column)} ${postgresqlType(kind)}`);
      await query(`CREATE TEMP TABLE ${name} (${columns.join(", ")}) ON COMMIT DROP`);
      const count = await copy(table, rows);
      await query(`ANALYZE ${name}`);
      return count;
    },
    stageSelect: async (name, select, values) => {
      await run(sql`CREATE TEMP TABLE ${named(name)} ON COMMIT DROP AS ${select}`, values);
      await query(`ANALYZE ${name}`);
    },
  };
  return { transaction, hasWritten: () => hasWritten };
}

/** Loads rows into a table by COPY. @returns how many */
async function copyRows(client: Client, copyFrom: Driver["copyFrom"], table: BulkTable, rows: BulkRows): Promise<number> {
  const names = Object.keys(table.columns).map(checkName);
  const kinds = Object.values(table.columns).map(({ kind }) => kind);
  const form = new BinaryRows(kinds);
  let count = 0;
  const add = (row: readonly unknown[]): void => {
    if (row.length !== kinds.length) throw new TypeError(`a row for ${table.name} has ${row.length} cells instead of ${kinds.length}.`);
    count++;
    form.add(row, 0);
  };
  const gatherAll = () => {
    if (Symbol.asyncIterator in rows) return gatherAsync(rows, add, form);
    if (!("cells" in rows)) return gather(rows, add, form);
    count = rows.cells.length / kinds.length;
    return gatherFlat(rows, kinds.length, form);
  };
  const copy = copyFrom(`COPY ${checkName(table.name)} (${names.join(", ")}) FROM STDIN WITH (FORMAT binary)`);
  await pipeline(Readable.from(gatherAll()), client.query(copy));
  return count;
}

type Add = (row: readonly unknown[]) => void;
type Form = Pick<BinaryRows, "add" | "isFull" | "take" | "finish">;

function* gatherFlat({ cells }: FlatRows, width: number, form: Form): Generator<Buffer> {
  for (let from = 0; from < cells.length; from += width) {
    form.add(cells, from);
    if (form.isFull) yield form.take();
  }
  yield form.finish();
}

// The same walk twice: an asynchronous one costs several times more a row, and most rows are at hand.
function* gather(rows: Iterable<readonly unknown[]>, add: Add, form: Form): Generator<Buffer> {
  for (const row of rows) {
    add(row);
    if (form.isFull) yield form.take();
  }
  yield form.finish();
}

async function* gatherAsync(rows: AsyncIterable<readonly unknown[]>, add: Add, form: Form): AsyncGenerator<Buffer> {
  for await (const row of rows) {
    add(row);
    if (form.isFull) yield form.take();
  }
  yield form.finish();
}
