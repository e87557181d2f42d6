import { limitConcurrency } from "../../core/base/async.ts";
import { beginReading } from "../../core/db/engine/check.ts";
import type { BareTransaction, Engine, Row, Session, Transaction, TransactionOptions } from "../../core/db/engine/engine.ts";
import { assertOutside, guardTransaction, runInside } from "../../core/db/engine/scope.ts";
import { named, sql } from "../../core/db/schema/sql/sql.ts";
import { readAddress } from "./address.ts";
import { ask, connect, lend, rollBack } from "./connections.ts";
import { copyRows } from "./copy-rows.ts";
import { type Answer, type Client, plainQuestion, question } from "./driver.ts";
import { type PatienceOptions, repeating } from "./patience.ts";
import { hindranceOf, translatePostgresError } from "./postgresql-errors.ts";
import { localSettings, type SessionLimits, sessionSettings } from "./settings.ts";

/** The server's words for `joins: "as-written"`; the plan does not depend on the values, so one serves all. */
const AS_WRITTEN = localSettings({
  join_collapse_limit: 1,
  from_collapse_limit: 1,
  random_page_cost: 1,
  max_parallel_workers_per_gather: 0,
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  enable_mergejoin: "off",
  plan_cache_mode: "force_generic_plan",
});

export type PostgresOptions = SessionLimits &
  PatienceOptions & {
    /** The maximum of connections. Default: 8. */
    readonly connections?: number;
    /** Whether a run that writes begins with it: then the role must be allowed enough connections for one. */
    readonly isOfRun?: boolean;
  };

/** How long a session waits for another's lock before `whenBusy` hears of it. */
const BUSY_TRY_MS = 1_000;

/**
 * An engine on a PostgreSQL database (15 or newer) at `text` (`readAddress`). A statement by itself is one round trip, and its session
 * keeps it with its plan. Behind a transaction pooler each is a transaction that brings its settings, and nothing is kept.
 * @throws StoreError, ConfigError
 */
export async function postgresEngine(text: string, given: PostgresOptions = {}): Promise<Engine> {
  const { connections = 8, onNotice, lockTimeoutMs = given.whenBusy && BUSY_TRY_MS } = given;
  const options = { ...given, connections, lockTimeoutMs };
  const address = readAddress(text);
  const { label, isPooled } = address;
  const closing = new AbortController();
  const pool = await connect(address, { ...options, onSilence: () => closing.abort() });
  const forgetting: (() => void)[] = [];
  const onLost = (): void => forgetting.forEach((forget) => void forget());
  pool.onLost(onLost);
  const inPlace = limitConcurrency(connections);
  const repeat = repeating(label, lockTimeoutMs, closing.signal, given);
  const settings = isPooled ? localSettings(sessionSettings(address.schema, options)) : "";
  const translate = (error: unknown) => translatePostgresError(error, "read or write the database", label);
  let keepsPlans = !isPooled;

  const lent = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = await lend(pool);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      const hindrance = hindranceOf(error);
      if (hindrance === "lost") onLost();
      if (hindrance === "unnamed" && keepsPlans) {
        keepsPlans = false;
        onNotice?.(
          `the database \`${label}\` forgets statements between two questions, as behind a proxy that pools sessions; asking it more slowly from now on`,
        );
      }
      client.release(!(await rollBack(client)) || hindrance === "unnamed" || hindrance === "stale");
      throw error;
    }
  };
  const repeated = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    assertOutside(engine);
    try {
      return await inPlace(() => repeat(() => lent(work)));
    } catch (error) {
      throw translate(error);
    }
  };
  const transaction = <T>(work: (tx: Transaction) => Promise<T>, { mode, joins }: TransactionOptions = {}): Promise<T> =>
    repeated(async (client) => {
      const begin = mode === "read" ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN";
      await ask(client, begin + settings + (joins === undefined ? "" : AS_WRITTEN));
      const { guarded, check, end, failure, rolledBack } = guardTransaction(transactionOn(client, keepsPlans), translate);
      try {
        const result = await runInside(engine, () => work(guarded));
        check();
        await ask(client, "COMMIT");
        return result;
      } catch (error) {
        rolledBack();
        throw hindranceOf(failure()) === undefined ? error : failure();
      } finally {
        end();
      }
    });

  const engine: Engine = {
    gatherMs: 200,
    ...askingBy((statement, values = {}) =>
      repeated(async (client) => {
        if (isPooled) await ask(client, `BEGIN${settings}`);
        const answer = await ask(client, question(statement, values, keepsPlans));
        if (isPooled) await ask(client, "COMMIT");
        return answer;
      }),
    ),
    stream: async function* (...select: Parameters<Session["stream"]>) {
      const reading = await beginReading(engine);
      try {
        yield* reading.session.stream(...select);
      } finally {
        await reading.close();
      }
    } as Session["stream"],
    transaction,
    onLost: (forget) => void forgetting.push(forget),
    close: async () => {
      closing.abort();
      await pool.end();
    },
  };
  return engine;
}

const LIST = 1_000;

/** The questions of a session, by what gives the server's answer to one. */
function askingBy(answer: (...asked: Parameters<Session["all"]>) => Promise<Answer>): Omit<Session, "stream"> {
  return {
    all: async (...asked) => (await answer(...asked)).rows as never[],
    first: async (...asked) => (await answer(...asked)).rows[0] as never,
    run: async (...asked) => (await answer(...asked)).rowCount ?? 0,
  };
}

/** A transaction on a connection on which it has begun. `keepsPlans`: the session keeps statements that are asked again. */
function transactionOn(client: Client, keepsPlans: boolean): BareTransaction {
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
