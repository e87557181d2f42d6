import type { BareTransaction, Row, Transaction } from "../../core/db/engine/engine.ts";
import { postgresqlType } from "../../core/db/schema/column.ts";
import { checkName, named, sql } from "../../core/db/schema/sql/sql.ts";
import { ask as askClient } from "./connections.ts";
import { copyRows } from "./copy-rows.ts";
import { type Answer, type Client, plainQuestion, type Question, question } from "./driver.ts";

const LIST = 1_000;

/** A transaction on a connection on which it has begun. `keepsPlans`: the session keeps statements that are asked again. */
export function transactionOn(client: Client, keepsPlans: boolean): BareTransaction {
  let cursors = 0;
  // Readers may send several queries at once, but a connection answers one after another, and `pg` 9 refuses a query that comes too early.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const query = (asked: string | Question): Promise<Answer> => inTurn(() => askClient(client, asked));
  const ask = (...[statement, values = {}]: Parameters<Transaction["all"]>) => query(question(statement, values, keepsPlans));
  const all = async <R extends Row>(...asked: Parameters<Transaction["all"]>) => (await ask(...asked)).rows as unknown as R[];
  const run: Transaction["run"] = async (...asked) => (await ask(...asked)).rowCount ?? 0;
  const bulkAll: Transaction["bulkAll"] = (loads) => inTurn(() => copyRows(client, loads));
  const bulk: Transaction["bulk"] = async (table, rows) => (await bulkAll([[table, rows]]))[0] as number;
  return {
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
    bulk,
    bulkAll,
    stage: async (table, rows) => {
      const name = checkName(table.name);
      const columns = Object.entries(table.columns).map(([column, { kind }]) => `${checkName(column)} ${postgresqlType(kind)}`);
      await query(`CREATE TEMP TABLE ${name} (${columns.join(", ")}) ON COMMIT DROP`);
      const count = await bulk(table, rows);
      await query(`ANALYZE ${name}`);
      return count;
    },
    stageSelect: async (name, select, values) => {
      await run(sql`CREATE TEMP TABLE ${named(name)} ON COMMIT DROP AS ${select}`, values);
      await query(`ANALYZE ${name}`);
    },
  };
}
