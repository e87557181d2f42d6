import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canFollow, isPossible, type ObservedHead } from "../../../src/core/node/protocol/ledger-head.ts";
import { holdsFor } from "../../support/property/law.ts";

const startMs = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

/** A head heard so long after the first, of a ledger that makes 160 versions a second and whose clock is right. */
function honest(afterMs: number, change: { readonly version?: bigint; readonly aheadMs?: number } = {}): ObservedHead {
  const version = 5_000_000_000n + BigInt(Math.floor((afterMs * 160) / 1000));
  return {
    head: { ledgerVersion: change.version ?? version, timestampUsec: BigInt(startMs + afterMs + (change.aheadMs ?? 0)) * 1000n },
    nowMs: startMs + afterMs,
    atMs: afterMs,
  };
}

test("isPossible: no ledger has 2^63 - 1 versions, with a time, without one, or with one a year ahead", () => {
  const most = 2n ** 63n - 1n;
  expect(isPossible(honest(0))).toBe(true);
  expect(isPossible(honest(0, { version: most }))).toBe(false);
  expect(isPossible(honest(0, { version: 2n ** 62n, aheadMs: 400 * 24 * HOUR_MS }))).toBe(false);
  // An archive that knows no time says 0.
  expect(isPossible({ ...honest(0), head: { ledgerVersion: most, timestampUsec: 0n } })).toBe(false);
  expect(isPossible({ ...honest(0), head: { ledgerVersion: 5_000_000_000n, timestampUsec: 0n } })).toBe(true);
});

describe("canFollow", () => {
  test.each([
    ["a thousand million versions too many", { version: 6_000_000_000n }],
    ["a time ten years ahead", { aheadMs: 10 * 365 * 24 * HOUR_MS }],
    ["both", { version: 6_000_000_000n, aheadMs: 400 * 24 * HOUR_MS }],
  ])("%s cannot follow an honest head, which can follow it", (_, change) => {
    expect(canFollow(honest(0), honest(100, change))).toBe(false);
    expect(canFollow(honest(100, change), honest(200))).toBe(true);
  });

  test("nodes of one address that lag by seconds or by a week follow each other", () => {
    const lags = [7 * 24 * HOUR_MS, 5_000, 0, 7 * 24 * HOUR_MS, 0, 60_000];
    const heads = lags.map((lagMs) => ({ head: honest(-lagMs).head, nowMs: startMs, atMs: 0 }));
    for (const [index, head] of heads.slice(1).entries()) expect(canFollow(heads[index] as ObservedHead, head)).toBe(true);
  });

  test("a ledger under any pace up to 100,000 versions a second is believed throughout, however the wall clock is set", async () => {
    const step = fc.record({ ms: fc.integer({ min: 0, max: HOUR_MS }), perSecond: fc.integer({ min: 0, max: 100_000 }) });
    await holdsFor(100, [fc.array(step, { minLength: 1, maxLength: 40 }), fc.integer({ min: -1e12, max: 1e12 })], (steps, skewMs) => {
      let before: ObservedHead | undefined;
      let [atMs, version] = [0, 0n];
      for (const { ms, perSecond } of steps) {
        atMs += ms;
        version += (BigInt(perSecond) * BigInt(ms)) / 1000n;
        const head = { ledgerVersion: version, timestampUsec: BigInt(startMs + atMs) * 1000n };
        const heard = { head, nowMs: startMs + atMs + skewMs, atMs };
        expect(isPossible(heard) && canFollow(before ?? heard, heard)).toBe(true);
        before = heard;
      }
    });
  });
});
