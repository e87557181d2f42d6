import { describe, expect, test } from "vitest";
import { watchHead } from "../../../src/core/crawl/horizon/head-watch.ts";
import type { LedgerNode } from "../../../src/core/node/open-node.ts";
import type { LedgerHead } from "../../../src/core/node/protocol/ledger-head.ts";
import type { StoredSample } from "../../../src/core/work/runs/runs.ts";
import { ManualClock } from "../../support/manual-clock.ts";

function headAt(version: number, oldest: number): LedgerHead {
  const ledgerVersion = BigInt(version);
  return {
    chainId: 4,
    ledgerVersion,
    oldestVersion: BigInt(oldest),
    timestampUsec: ledgerVersion * 10_000n,
    epoch: 1n,
    blockHeight: 1n,
    oldestBlockHeight: 0n,
  };
}

async function watched(clock: ManualClock) {
  const rows: StoredSample[] = [];
  let speak: (head: LedgerHead) => void = () => {};
  // The watch uses three of the door's words, and none of them sends anything.
  const node = {
    url: "http://node/v1",
    lastHead: () => undefined,
    onHead: (listener: typeof speak) => (speak = listener),
  } as unknown as LedgerNode;
  const stored = {
    addHeadSample: async (row: StoredSample) => {
      rows.push(row);
    },
  };
  const watch = watchHead({ node, clock }, stored);
  return { rows, watch, say: (head: LedgerHead) => speak(head) };
}

describe("watchHead", () => {
  test("keeps few of very many answers: ever rarer, and the last one", async () => {
    const clock = new ManualClock();
    const { rows, watch, say } = await watched(clock);
    for (let second = 0; second < 86_400; second += 5) {
      say(headAt(1e6 + second * 10, second * 10));
      await clock.advance(5_000);
    }
    await watch.close();
    expect(rows.length).toBeGreaterThan(20);
    expect(rows.length).toBeLessThan(100);
    expect(rows.at(-1)?.headVersion).toBe(BigInt(1e6 + 86_395 * 10));
    expect(watch.samples().map(({ headVersion }) => headVersion)).toEqual([...rows, rows.at(-1)].map((row) => row?.headVersion));
  });

  test("two nodes in turn are kept both, and do not fill the database", async () => {
    const clock = new ManualClock();
    const { rows, watch, say } = await watched(clock);
    for (let i = 0; i < 5_000; i++) {
      say(headAt(1e6 + 600, i % 2 === 0 ? 600 : 500_600));
      if (i % 1_001 === 0) await clock.advance(61_000);
    }
    expect(rows.length).toBeLessThan(8);
    expect(new Set(watch.samples().map(({ oldestVersion }) => oldestVersion))).toEqual(new Set([600n, 500_600n]));
  });
});
