import { postgresqlType } from "../../../schema/kinds.ts";
import { postgresqlWords } from "../../../schema/sql/postgresql-words.ts";
import { named, sql } from "../../../schema/sql/sql.ts";
import type { Row, Transaction } from "../engine.ts";
import { copyRows } from "./copy.ts";
import type { Client, Driver } from "./driver.ts";
import { plainQuestion, question } from "./questions.ts";

/** Rows of one list of a stream. */
const LIST = 1_000;

/** What a transaction does on a connection on which it has begun. Failures come out as `pg` gives them. */
export function transactionOn(client: Client, copyFrom: Driver["copyFrom"]): Transaction {
  let cursors = 0;
  const all = async <R extends Row>(...[statement, values = {}]: Parameters<Transaction["all"]>): Promise<R[]> =>
    (await client.query(question(statement, values))).rows as unknown as R[];
  const run: Transaction["run"] = async (statement, values = {}) => (await client.query(question(statement, values))).rowCount ?? 0;

  return {
    all,
    first: async (statement, values) => (await all<never>(statement, values))[0],
    run,
    stream: async function* <R extends Row>(...[select, values]: Parameters<Transaction["stream"]>) {
      const cursor = `rows_${++cursors}`;
      await run(sql`DECLARE ${named(cursor)} NO SCROLL CURSOR FOR ${select}`, values);
      for (let isOver = false; !isOver; ) {
        const { rows } = await client.query(plainQuestion(`FETCH ${LIST} FROM ${cursor}`));
        if (rows.length > 0) yield rows as unknown as R[];
        isOver = rows.length < LIST;
      }
      await client.query(`CLOSE ${cursor}`);
    },
    bulk: (table, rows) => copyRows(client, copyFrom, table, rows),
    stage: async (table, rows) => {
      const name = named(table.name).in(postgresqlWords);
      const columns = Object.entries(table.columns).map(
        ([column, { kind }]) => `${named(column).in(postgresqlWords)} ${postgresqlType(kind)}`,
      );
      await client.query(`CREATE TEMP TABLE ${name} (${columns.join(", ")}) ON COMMIT DROP`);
      const count = await copyRows(client, copyFrom, table, rows);
      await client.query(`ANALYZE ${name}`);
      return count;
    },
    keep: async (name, select, values) => {
      await run(sql`CREATE TEMP TABLE ${named(name)} ON COMMIT DROP AS ${select}`, values);
      await client.query(`ANALYZE ${name}`);
    },
  };
}
