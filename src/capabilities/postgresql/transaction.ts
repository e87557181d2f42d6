import { limitConcurrency } from "../../core/base/async.ts";
import type { BareTransaction, Row, Session } from "../../core/db/engine/engine.ts";
import { named, sql } from "../../core/db/schema/sql/sql.ts";
import { ask } from "./connections.ts";
import { copyRows } from "./copy-rows.ts";
import { type Answer, type Client, plainQuestion, question } from "./driver.ts";

const LIST = 1_000;

/** The questions of a session, by what gives the server's answer to one. */
export function askingBy(answer: (...asked: Parameters<Session["all"]>) => Promise<Answer>): Omit<Session, "stream"> {
  return {
    all: async (...asked) => (await answer(...asked)).rows as never[],
    first: async (...asked) => (await answer(...asked)).rows[0] as never,
    run: async (...asked) => (await answer(...asked)).rowCount ?? 0,
  };
}

/** A transaction on a connection on which it has begun. `keepsPlans`: the session keeps statements that are asked again. */
export function transactionOn(client: Client, keepsPlans: boolean): BareTransaction {
  let cursors = 0;
  // Readers may send several queries at once, but a connection answers one after another, and `pg` 9 refuses a query that comes too early.
  const inTurn = limitConcurrency(1);
  const asking = askingBy((statement, values = {}) => inTurn(() => ask(client, question(statement, values, keepsPlans))));
  const plainly = (text: string): Promise<Answer> => inTurn(() => ask(client, plainQuestion(text)));
  return {
    ...asking,
    stream: async function* <R extends Row>(...[select, values]: Parameters<Session["stream"]>) {
      const cursor = `rows_${++cursors}`;
      await asking.run(sql`DECLARE ${named(cursor)} NO SCROLL CURSOR FOR ${select}`, values);
      for (let isOver = false; !isOver; ) {
        const { rows } = await plainly(`FETCH ${LIST} FROM ${cursor}`);
        if (rows.length > 0) yield rows as unknown as R[];
        isOver = rows.length < LIST;
      }
      await plainly(`CLOSE ${cursor}`);
    },
    bulkAll: (loads) => inTurn(() => copyRows(client, loads)),
  };
}
