import { expect, test } from "vitest";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { runQueries } from "../../../src/core/work/runs/runs.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { NOON } from "../../support/store/temporary-store.ts";

const addSnapshot = sql`INSERT INTO _all_snapshots (ledger_version, status, created_at, head_version, oldest_version, head_timestamp_usec, planned)
  VALUES (:version, 'unsealed', :now::time, :head, 0, :usec::u64, 0)`;

eachArchive("runs", (open) => {
  test("are written down when they begin and when they end", async () => {
    await using at = await open();
    const runs = runQueries(at.engine);
    const first = await runs.startRun({ command: "sync", appVersion: "1.0.0", now: NOON });
    const second = await runs.startRun({ command: "sync", appVersion: "1.0.0", now: NOON + 5 });
    const counts = { requests: 9, retries: 1, accounts: 3, modules: 7, gaps: 0 };
    const end = { exit: "done", ledgerVersion: 2n ** 60n, bytesReceived: 2 ** 40, newBytecodes: 2 };
    await runs.finishRun(second, { now: NOON + 9, ...end, ...counts });
    const known = { ledgerVersion: 2n ** 60n, bytesReceived: 2 ** 40, newBytecodes: 2 };
    const undated = { ledgerTime: null, ledgerTimeErrorMs: null };
    const begun = { command: "sync", appVersion: "1.0.0" };
    const nulls = Object.fromEntries(
      ["finishedAt", "exit", ...Object.keys({ ...known, ...counts, ...undated })].map((name) => [name, null]),
    );
    expect(await runs.listRuns(9)).toEqual([
      { id: second, ...begun, startedAt: NOON + 5, finishedAt: NOON + 9, exit: "done", ...known, ...counts, ...undated },
      { ...nulls, id: first, ...begun, startedAt: NOON },
    ]);
    expect(await runs.listRuns(1)).toHaveLength(1);
  });
});

eachArchive("head samples", (open) => {
  const sample = (sampledAt: number, headVersion: bigint, timestampUsec = headVersion * 1000n) => {
    return { node: "http://a", sampledAt, headVersion, oldestVersion: 5n, timestampUsec };
  };

  test("are kept in order of time, those up to a moment and at most fourteen days before the last of them", async () => {
    await using at = await open();
    const runs = runQueries(at.engine);
    const largest = sample(20, 2n ** 62n + 1n, 2n ** 64n - 1n);
    for (const one of [sample(30, 300n), sample(10, 100n), largest]) await runs.addHeadSample(one);
    expect(await runs.headSamples(NOON)).toEqual([sample(10, 100n), largest, sample(30, 300n)]);
    expect(await runs.headSamples(29)).toEqual([sample(10, 100n), largest]);
    await runs.addHeadSample(sample(14 * 86_400_000 + 20, 400n));
    expect(await runs.headSamples(15 * 86_400_000)).toEqual([largest, sample(30, 300n), sample(14 * 86_400_000 + 20, 400n)]);
  });

  test("and pins together tell the newest version ever heard of", async () => {
    await using at = await open();
    const runs = runQueries(at.engine);
    expect(await runs.newestHead()).toBeUndefined();
    await runs.addHeadSample(sample(10, 100n));
    expect(await runs.newestHead()).toEqual({ ledgerVersion: 100n, timestampUsec: 100_000n, seenAtMs: 10 });
    await at.engine.run(addSnapshot, { version: 90n, now: NOON, head: 110n, usec: 7n });
    expect(await runs.newestHead()).toEqual({ ledgerVersion: 110n, timestampUsec: 7n, seenAtMs: NOON });
    await runs.addHeadSample(sample(20, 110n));
    expect(await runs.newestHead()).toMatchObject({ seenAtMs: NOON });
  });

  test("a head contradicts one whose version is lower and whose time is later, from samples and pins alike", async () => {
    await using at = await open();
    const runs = runQueries(at.engine);
    const usec = 1_790_000_000_000_000n;
    await runs.addHeadSample(sample(10, 5_000_000n, usec));
    await at.engine.run(addSnapshot, { version: 90n, now: NOON, head: 7_000_000n, usec: usec + 9n });
    const contradicted = async (ledgerVersion: bigint, timestampUsec: bigint) =>
      (await runs.contradictingHead({ ledgerVersion, timestampUsec }))?.ledgerVersion;
    for (const [version, time] of [
      [8_000_000n, usec + 9n],
      [6_000_000n, usec + 9n],
      [4_000_000n, usec - 1n],
      [5_000_000n, usec + 5n],
      [1n, 0n],
    ] as const)
      expect(await contradicted(version, time)).toBeUndefined();
    expect(await contradicted(8_000_000n, usec + 8n)).toBe(7_000_000n);
    expect(await contradicted(6_000_000n, usec + 10n)).toBe(7_000_000n);
    expect(await contradicted(6_000_000n, usec - 1n)).toBe(5_000_000n);
    expect(await contradicted(1n, usec + 1n)).toBe(5_000_000n);
  });
});
