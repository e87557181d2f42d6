import { readFileSync, statSync } from "node:fs";
import { expect } from "vitest";
import { createSampleLedger, faults, startSimNode } from "../../../../sim/index.ts";
import { ManualClock, ofAccount, runCli } from "../../../support/index.ts";

/** A run that wrote its metrics. Moments in milliseconds since 1970. */
export type MonitoredRun = {
  readonly text: string;
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly requests: number;
  readonly databaseBytes: number;
};

/** 2026-03-01 at 03:00 UTC. */
const BEGIN_MS = Date.UTC(2026, 2, 1, 3);
/** What a request takes on the clock: so a run's length is known from the number of its requests. */
export const REQUEST_MS = 1250;
const DAY_MS = 86_400_000;
const LIMITS_MS = 20_000;

/** A wait for the node passes at once; limits of time, which are longer, are not reached. */
class NightClock extends ManualClock {
  override readonly sleep = async (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms < LIMITS_MS) await this.advance(ms);
    else await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
}

/**
 * Nights of the sample ledger, on a clock that only requests move, and days of different lengths between them. The file of metrics of
 * each: a whole `sync`, a `night` whose alerts nobody takes, a `sync` whose budget chooses, one that its budget stops, and one in which
 * an account gives no answer.
 */
export async function monitoredNights(directory: string) {
  const [db, file] = [`${directory}/night.db`, `${directory}/movedex.prom`];
  const sample = createSampleLedger();
  const clock = new NightClock({ startMs: BEGIN_MS, skipSleeps: true });
  const takesTime = { fault: { name: "takes its time", before: () => void clock.advance(REQUEST_MS) } };
  const waitSevenSeconds = { fault: faults.tooManyRequests("7"), at: 20 };
  const noAnswer = { fault: faults.unknownError(418, "teapot"), match: ofAccount(sample.trader) };
  const start = (plan: Parameters<typeof faults.planFaults>[0]) =>
    startSimNode({ ledger: sample.ledger, now: clock.now, faults: faults.planFaults(plan) });
  await using node = await start([takesTime, waitSevenSeconds]);
  await using broken = await start([takesTime, noAnswer]);

  const cli = (...words: string[]) => runCli([...words, "--db", db], { clock, env: { MOVEDEX_WEBHOOK_URL: "http://127.0.0.1:9/away" } });
  const run = async (at: typeof node, exitCode: number, ...words: string[]): Promise<MonitoredRun> => {
    const [startedMs, before] = [clock.now(), at.requestCount];
    const { code, stderr } = await cli(
      ...words,
      "--rpc",
      at.url,
      "--node-name",
      "node",
      "--rate",
      "0",
      "--concurrency",
      "1",
      "--metrics-file",
      file,
    );
    expect(code, stderr).toBe(exitCode);
    const text = readFileSync(file, "utf8");
    return { text, startedMs, finishedMs: clock.now(), requests: at.requestCount - before, databaseBytes: statSync(db).size };
  };
  const dayLater = async (moreMs: number): Promise<void> => {
    sample.ledger.advance(864_000n);
    await clock.advance(DAY_MS + moreMs);
  };

  await cli("targets", "add", ...sample.codeAccounts, sample.trader);
  for (const account of sample.codeAccounts) await cli("watch", "add", account, "--level", "any");
  const sync = await run(node, 0, "sync");
  sample.passDay();
  await clock.advance(DAY_MS - 7_777);
  const night = await run(node, 0, "night");
  await dayLater(33_333);
  const budget = await run(node, 0, "sync", "--max-requests", "12", "--max-age", "30h");
  await dayLater(1_111);
  const stopped = await run(node, 0, "sync", "--max-requests", "8", "--ledger-version", `${sample.ledger.info().head}`);
  await dayLater(2_222);
  const gaps = await run(broken, 2, "sync");
  return { db, beginMs: BEGIN_MS, endMs: clock.now(), runs: { sync, night, budget, stopped, gaps } };
}
