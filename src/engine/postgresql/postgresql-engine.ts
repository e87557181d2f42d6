import { type Clock, systemClock } from "../../base/time/clock.ts";
import { checkName } from "../../schema/sql/sql.ts";
import type { ReadOptions, WriteOptions } from "../database.ts";
import type { Engine, Session, Transaction, TransactionOptions } from "../engine.ts";
import { assertOutside, guardTransaction, runInside } from "../scope.ts";
import { createSlots } from "../slots.ts";
import { readAddress } from "./address.ts";
import { connect, rollBack } from "./connections.ts";
import { type Answer, type Client, loadDriver } from "./driver.ts";
import { connectionLost, failureCode, isConflict, isDuplicate, isLost, translatePostgresError } from "./postgresql-errors.ts";
import { plainQuestion } from "./questions.ts";
import { repeat } from "./repeating.ts";
import { transactionOn } from "./transaction.ts";

/**
 * How a server plans questions to the views, which join up to eleven tables: every order of twelve is weighed, since
 * `who-calls-function` over 80,000 modules took 60 s without and 0.4 s with it. Of sixteen, planning can take a second, and no question
 * is answered sooner. `jit` costs more than it saves.
 */
const planning = { join_collapse_limit: "12", from_collapse_limit: "12", geqo: "off", jit: "off" } as const;

/** The server's words for `joins: "as-written"`; the plan does not depend on the values, so one serves all. Asks which session this is. */
const AS_WRITTEN = `${[
  ["join_collapse_limit = 1", "from_collapse_limit = 1", "random_page_cost = 1", "max_parallel_workers_per_gather = 0"],
  ["seqscan", "bitmapscan", "mergejoin"].map((way) => `enable_${way} = off`),
  ["plan_cache_mode = force_generic_plan"],
]
  .flat()
  .map((setting) => `; SET LOCAL ${setting}`)
  .join("")}; SELECT pg_backend_pid()`;

export type PostgresOptions = Pick<ReadOptions, "connections" | "lockTimeoutMs" | "statementTimeoutMs"> &
  Pick<WriteOptions, "idleTimeoutMs"> & {
    /** Whether nothing is written: then a transaction is begun and ended without waiting for the server to say so. */
    readonly onlyReads?: boolean;
    /** How long to wait for a server that went away in the midst of work, as in a restart. Default 0: not at all. */
    readonly patienceMs?: number;
    /** By which that is waited. Default: the machine's. */
    readonly clock?: Pick<Clock, "monotonic" | "sleep">;
    /** Called when the waiting begins, with what happened. */
    readonly onWait?: (reason: unknown) => void;
  };

/**
 * An engine on a PostgreSQL database (15 or newer) at `text` (`readAddress`). Transactions bring their settings, and behind a pooling
 * proxy no statement is named. Where something may be written, a single statement costs two round trips more.
 * @throws StoreError, ConfigError
 */
export async function postgresEngine(text: string, options: PostgresOptions = {}): Promise<Engine> {
  const {
    onlyReads = false,
    connections: most = 8,
    lockTimeoutMs = 10_000,
    idleTimeoutMs = 0,
    patienceMs = 0,
    clock = systemClock,
    onWait = () => {},
  } = options;
  const address = readAddress(text);
  const { label } = address;
  const driver = await loadDriver();
  const { statementTimeoutMs } = options;
  const connections = await connect(driver, address, { connections: most, statementTimeoutMs, pipeline: onlyReads });
  const slots = createSlots(most);
  const closing = new AbortController();
  const settings = localSettings(address.schema, lockTimeoutMs, idleTimeoutMs);
  const begin = ({ mode = "write", timeoutMs = options.statementTimeoutMs, joins }: TransactionOptions): string =>
    `BEGIN${mode === "read" ? " ISOLATION LEVEL REPEATABLE READ READ ONLY" : ""}; ${settings}` +
    (timeoutMs === undefined ? "" : `; SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}`) +
    (joins === undefined ? "" : AS_WRITTEN);
  const translate = (error: unknown) => translatePostgresError(error, "read or write the database", label);

  /** Does a piece of work on a connection; an error that came of losing it says so. Nobody else gets it before `ended`. */
  const lent = async <T>(work: (client: Client, leave: (ended: Promise<unknown>) => void) => Promise<T>): Promise<T> => {
    const client = await connections.lend();
    let [isBroken, left]: [boolean, Promise<unknown>] = [false, Promise.resolve()];
    try {
      return await work(client, (ended) => {
        left = ended;
      });
    } catch (error) {
      isBroken = !(await rollBack(client)) || connections.isLost(client);
      throw isBroken && failureCode(error) === undefined ? connectionLost(error) : error;
    } finally {
      left.then(
        () => client.release(isBroken),
        () => client.release(true),
      );
    }
  };
  const once = <T>(work: (tx: Transaction) => Promise<T>, how: TransactionOptions, committing: (id: string, result: T) => void) =>
    lent(async (client, leave) => {
      const begun = client.query(plainQuestion(begin(how)));
      // Whoever awaits the work is told below.
      begun.catch(() => undefined);
      const beginning = onlyReads && how.joins === undefined ? undefined : await begun;
      // Behind a pooling proxy the session is another one than the one that was opened: what it keeps, others would find.
      const session = sessionIn(beginning);
      const { transaction, hasWritten } = transactionOn(client, driver.copyFrom, session !== null && session === client.processID);
      const translateOn = (error: unknown) => translate(connections.isLost(client) ? connectionLost(error) : error);
      const { guarded, check, end, failure } = guardTransaction(transaction, translateOn);
      try {
        const result = await runInside(engine, () => work(guarded)).finally(() => begun);
        check();
        // Only where a lost connection is waited for does it matter what became of an unanswered COMMIT, and only of what was written.
        const id = patienceMs > 0 && hasWritten() ? await transactionId(client) : null;
        if (id !== null) committing(id, result);
        const ended = client.query("COMMIT");
        if (onlyReads) leave(ended);
        else await ended;
        return result;
      } catch (error) {
        const failed = failure();
        throw isConflict(failed) || isDuplicate(failed) || isLost(failed) ? failed : error;
      } finally {
        end();
      }
    });

  const wasCommitted = (id: string): Promise<boolean> =>
    lent(async (client) => {
      const ask = { ...plainQuestion("SELECT pg_xact_status($1::xid8)"), values: [id] };
      const status = (await client.query(ask)).rows[0]?.[0];
      // The server has not noticed yet that its client is gone.
      if (status === "in progress") throw connectionLost(undefined);
      return status === "committed";
    });

  const transaction = async <T>(work: (tx: Transaction) => Promise<T>, how: TransactionOptions = {}): Promise<T> => {
    assertOutside(engine);
    try {
      const again = { wasCommitted, patienceMs, clock, onWait, signal: closing.signal };
      return await slots.run(() => repeat<T>((committing) => once(work, how, committing), again));
    } catch (error) {
      throw translate(error);
    }
  };

  async function* stream(...[select, values]: Parameters<Session["stream"]>) {
    assertOutside(engine);
    await slots.enter();
    try {
      const client = await connections.lend();
      try {
        await client.query(begin({ mode: "read" }));
        yield* transactionOn(client, driver.copyFrom).transaction.stream(select, values);
      } catch (error) {
        throw connections.isLost(client) ? connectionLost(error) : error;
      } finally {
        client.release(!(await rollBack(client)));
      }
    } catch (error) {
      throw translate(error);
    } finally {
      slots.leave();
    }
  }

  const engine: Engine = {
    dialect: "postgresql",
    all: (statement, values) => transaction((tx) => tx.all<never>(statement, values)),
    first: (statement, values) => transaction((tx) => tx.first<never>(statement, values)),
    run: (statement, values) => transaction((tx) => tx.run(statement, values)),
    stream: stream as Session["stream"],
    transaction,
    close: async () => {
      closing.abort();
      await connections.close();
    },
  };
  return engine;
}

/** The session's number in the answer to `AS_WRITTEN`; null in the answer to any other beginning. */
function sessionIn(answer: Answer | readonly Answer[] | undefined): unknown {
  const last = Array.isArray(answer) ? (answer.at(-1) as Answer) : undefined;
  return last?.rows[0]?.[0] ?? null;
}

/** The number by which the server knows the transaction; null when it has written nothing. */
async function transactionId(client: Client): Promise<string | null> {
  return (await client.query(plainQuestion("SELECT pg_current_xact_id_if_assigned()::text"))).rows[0]?.[0] as string | null;
}

/**
 * Statements that give a transaction its schema, form of values, wait for locks, and limit of silence (0: none). A cursor is
 * planned for all rows: planned for the first tenth, whole results are many times slower.
 */
export function localSettings(schema: string, lockTimeoutMs: number, idleTimeoutMs: number): string {
  return (
    `SET LOCAL search_path TO ${checkName(schema)}; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}; SET LOCAL TimeZone = 'UTC'; ` +
    "SET LOCAL DateStyle = 'ISO'; SET LOCAL bytea_output = 'hex'; SET LOCAL standard_conforming_strings = on; SET LOCAL cursor_tuple_fraction = 1; " +
    Object.entries(planning)
      .map(([name, value]) => `SET LOCAL ${name} = ${value}`)
      .join("; ")
  );
}
