import { limitConcurrency } from "../../core/base/async.ts";
import { type Clock, systemClock } from "../../core/base/time.ts";
import { beginReading } from "../../core/db/engine/check.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import type { Engine, Session, Transaction, TransactionOptions } from "../../core/db/engine/engine.ts";
import { assertOutside, guardTransaction, runInside } from "../../core/db/engine/scope.ts";
import { readAddress } from "./address.ts";
import { ask, connect, lend, rollBack } from "./connections.ts";
import { type Answer, type Client, question } from "./driver.ts";
import { failureCode, isConflict, isDuplicate, isLocked, isLost, isStale, isUnnamed, translatePostgresError } from "./postgresql-errors.ts";
import { localSettings, type SessionLimits, sessionSettings } from "./settings.ts";
import { transactionOn } from "./transaction.ts";

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

export type PostgresOptions = SessionLimits & {
  /** The maximum of connections. Default: 8. */
  readonly connections?: number;
  /** Whether a run that writes begins with it: then the role must be allowed enough connections for one. */
  readonly isOfRun?: boolean;
  /** How long to wait for a server that went away in the midst of work, as in a restart. Default 0: not at all. */
  readonly patienceMs?: number;
  /** Ends that waiting. */
  readonly ending?: AbortSignal | undefined;
  /** By which that is waited. Default: the machine's. */
  readonly clock?: Pick<Clock, "monotonic" | "sleep">;
  /** Hears, in a sentence, that the server is waited for, and once that its sessions keep no statements. */
  readonly onNotice?: ((sentence: string) => void) | undefined;
  readonly whenBusy?: WhenBusy | undefined;
};

/** How long a session waits for another's lock before `whenBusy` hears of it. */
const BUSY_TRY_MS = 1_000;

/**
 * An engine on a PostgreSQL database (15 or newer) at `text` (`readAddress`). A statement by itself is one round trip, and its session
 * keeps it with its plan. Behind a transaction pooler each is a transaction that brings its settings, and nothing is kept.
 * @throws StoreError, ConfigError
 */
export async function postgresEngine(text: string, given: PostgresOptions = {}): Promise<Engine> {
  const { connections = 8, patienceMs = 0, ending, clock = systemClock, onNotice = () => {}, whenBusy } = given;
  const { lockTimeoutMs = whenBusy && BUSY_TRY_MS } = given;
  const options = { ...given, lockTimeoutMs };
  const address = readAddress(text);
  const { label, isPooled } = address;
  const closing = new AbortController();
  const pool = await connect(address, { ...options, connections, onSilence: () => closing.abort() });
  const inPlace = limitConcurrency(connections);
  // However many wait, it is said once for each time that the server is away.
  const onWait = (reason: unknown): void => {
    const minutes = patienceMs / 60_000;
    onNotice(
      `the database \`${label}\` does not answer (${failureCode(reason) ?? "cut off"}); waiting for it for up to ${minutes} minutes, then going on`,
    );
  };
  const signal = ending === undefined ? closing.signal : AbortSignal.any([closing.signal, ending]);
  // Those that wait for a lock at the same time wait together.
  let waiting: Promise<boolean> | undefined;
  const mayTryAgain = async (): Promise<boolean> => {
    waiting ??= whenBusy?.(lockTimeoutMs).finally(() => {
      waiting = undefined;
    });
    return (await waiting) ?? false;
  };
  const again: RepeatOptions = { mayTryAgain, patienceMs, clock, onWait, away: { sinceMs: undefined }, closing: closing.signal, signal };
  const settings = isPooled ? localSettings(sessionSettings(address.schema, options)) : "";
  const translate = (error: unknown) => translatePostgresError(error, "read or write the database", label);
  let keepsPlans = !isPooled;

  const noteUnnamed = (): void => {
    if (keepsPlans)
      onNotice(
        `the database \`${label}\` forgets statements between two questions, as behind a proxy that pools sessions; asking it more slowly from now on`,
      );
    keepsPlans = false;
  };
  const lent = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    const client = await lend(pool);
    try {
      const result = await work(client);
      client.release();
      return result;
    } catch (error) {
      if (isUnnamed(error)) noteUnnamed();
      client.release(!(await rollBack(client)) || isStale(error));
      throw error;
    }
  };
  const once = <T>(work: (tx: Transaction) => Promise<T>, { mode, joins }: TransactionOptions): Promise<T> =>
    lent(async (client) => {
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
        const failed = failure();
        throw isConflict(failed) || isDuplicate(failed) || isLocked(failed) || isLost(failed) || isStale(failed) ? failed : error;
      } finally {
        end();
      }
    });
  const repeated = async <T>(work: () => Promise<T>): Promise<T> => {
    assertOutside(engine);
    try {
      return await inPlace(() => repeat(work, again));
    } catch (error) {
      throw translate(error);
    }
  };
  const transaction: Engine["transaction"] = (work, how = {}) => repeated(() => once(work, how));
  const single = (...[statement, values = {}]: Parameters<Session["all"]>): Promise<Answer> =>
    repeated(() =>
      lent(async (client) => {
        if (isPooled) await ask(client, `BEGIN${settings}`);
        const answer = await ask(client, question(statement, values, keepsPlans));
        if (isPooled) await ask(client, "COMMIT");
        return answer;
      }),
    );

  const engine: Engine = {
    gatherMs: 200,
    all: async (statement, values) => (await single(statement, values)).rows as never[],
    first: async (statement, values) => (await single(statement, values)).rows[0] as never,
    run: async (statement, values) => (await single(statement, values)).rowCount ?? 0,
    stream: async function* (...select: Parameters<Session["stream"]>) {
      const reading = await beginReading(engine);
      try {
        yield* reading.session.stream(...select);
      } finally {
        await reading.close();
      }
    } as Session["stream"],
    transaction,
    close: async () => {
      closing.abort();
      await pool.end();
    },
  };
  return engine;
}

/** How often a transaction is done again because others came between, or a session knew a statement no more or in an older form. */
const CONFLICTS = 10;
/** How often when another wrote the same row first: a row that is there already, and no race, is told soon. */
const DUPLICATES = 3;
/** The longest pause before the next try, in milliseconds: after a conflict, and while the server is away. */
const CONFLICT_PAUSE_MS = 500;
const LOST_PAUSE_MS = 3_000;

type RepeatOptions = {
  /** Waits for another's lock, and says whether to try again. */
  readonly mayTryAgain: () => Promise<boolean>;
  readonly patienceMs: number;
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly onWait: (reason: unknown) => void;
  /** Since when the server has answered nothing: all share one patience, and what comes after it waits no more. */
  readonly away: { sinceMs: number | undefined };
  /** Ends all waiting. */
  readonly closing: AbortSignal;
  /** Ends waiting for a server that went away; aborted with the other. */
  readonly signal: AbortSignal;
};

/** How often a lost connection is made anew at once where nothing is waited for any longer. */
const LAST_TRIES = 3;

/**
 * Does a transaction until it is done: again when others came between (40001, 40P01, 23505), and again when the connection was lost, for
 * as long as patience lasts. One whose COMMIT went unanswered may have been done, and is done again: what it writes comes to the same.
 */
async function repeat<T>(
  once: () => Promise<T>,
  { mayTryAgain, patienceMs, clock, onWait, away, closing, signal }: RepeatOptions,
): Promise<T> {
  let lostAt: number | undefined;
  // A time that differs from try to try, so that those who were in each other's way do not meet again.
  const pause = (ms: number, end: AbortSignal): Promise<void> => clock.sleep(ms * (0.5 + Math.random() / 2), end).catch(() => {});
  for (let tries = 1; ; tries++) {
    try {
      const done = await once();
      away.sinceMs = undefined;
      return done;
    } catch (error) {
      if (closing.aborted) throw error;
      if (((isConflict(error) || isStale(error)) && tries <= CONFLICTS) || (isDuplicate(error) && tries <= DUPLICATES)) {
        await pause(Math.min(10 * 2 ** tries, CONFLICT_PAUSE_MS), closing);
      } else if (isLost(error) && patienceMs > 0) {
        if (away.sinceMs === undefined) onWait(error);
        const now = clock.monotonic();
        away.sinceMs ??= now;
        lostAt ??= now;
        if (now - Math.min(lostAt, away.sinceMs) > patienceMs || (signal.aborted && tries > LAST_TRIES)) throw error;
        await pause(Math.min(50 * 2 ** tries, LOST_PAUSE_MS), signal);
      } else if (!isLocked(error) || !(await mayTryAgain())) {
        throw error;
      }
      if (closing.aborted) throw error;
    }
  }
}
