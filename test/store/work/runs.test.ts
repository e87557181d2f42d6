import { describe, expect, test } from "vitest";
import { addressOf, NOON, temporaryStore } from "../support/temporary-store.ts";

describe("runs", () => {
  test("are written down when they begin and when they end", async () => {
    await using at = await temporaryStore();
    const first = await at.store.startRun({ command: "sync", appVersion: "1.0.0", now: NOON });
    const second = await at.store.startRun({ command: "sync", appVersion: "1.0.0", now: NOON + 5 });
    const counts = { requests: 9, retries: 1, accounts: 3, modules: 7, gaps: 0 };
    await at.store.finishRun(second, {
      now: NOON + 9,
      exit: "done",
      ledgerVersion: 2n ** 60n,
      bytesReceived: 2 ** 40,
      newBytecodes: 2,
      ...counts,
    });
    expect(await at.store.listRuns(9)).toMatchObject([
      { id: second, finished_at: NOON + 9, exit: "done", ledger_version: 2n ** 60n, bytes_received: 2 ** 40, ...counts },
      { id: first, finished_at: null, exit: null, requests: null },
    ]);
    expect(await at.store.listRuns(1)).toHaveLength(1);
  });
});

describe("head samples", () => {
  const sample = (sampledAt: number, headVersion: bigint) => ({
    node: "http://a",
    sampledAt,
    headVersion,
    oldestVersion: 5n,
    timestampUsec: headVersion * 1000n,
  });

  test("are kept in order of time", async () => {
    await using at = await temporaryStore();
    for (const one of [sample(30, 300n), sample(10, 100n), sample(20, 2n ** 62n + 1n)]) await at.store.addHeadSample(one);
    expect(await at.store.headSamples({ since: 15 })).toEqual([sample(20, 2n ** 62n + 1n), sample(30, 300n)]);
  });

  test("and pins together tell the newest version ever heard of", async () => {
    await using at = await temporaryStore();
    expect(await at.store.newestHead()).toBeUndefined();
    await at.store.addHeadSample(sample(10, 100n));
    expect(await at.store.newestHead()).toMatchObject({ headVersion: 100n, timestampUsec: 100_000n });
    await at.store.createPin({ chainId: 4, ledgerVersion: 90n, headVersion: 110n, oldestVersion: 0n, headTimestampUsec: 7n, now: NOON }, [
      addressOf(1),
    ]);
    expect(await at.store.newestHead()).toMatchObject({ headVersion: 110n, timestampUsec: 7n });
  });
});
