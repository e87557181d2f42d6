import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canFollow, HeadGuard, type ObservedHead } from "../../../src/node/answers/head-guard.ts";

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

const impossible = [
  ["the version of 2^63 - 1", { version: 2n ** 63n - 1n }],
  ["2^62 at a time a year ahead", { version: 2n ** 62n, aheadMs: 400 * 24 * HOUR_MS }],
] as const;
const absurd = [
  ["a thousand million versions too many", { version: 6_000_000_000n }],
  ["a time ten years ahead", { aheadMs: 10 * 365 * 24 * HOUR_MS }],
  ["both", { version: 6_000_000_000n, aheadMs: 400 * 24 * HOUR_MS }],
] as const;

describe("HeadGuard", () => {
  test.each(impossible)("%s is not believed however often it is said, first or later", (_, change) => {
    const guard = new HeadGuard();
    for (const afterMs of [0, 100, 200]) expect(guard.accept(honest(afterMs, change))).toBe(false);
    expect(guard.accept(honest(300))).toBe(true);
    for (const afterMs of [400, 500, 600]) expect(guard.accept(honest(afterMs, change))).toBe(false);
    // An archive that knows no time says 0.
    expect(guard.accept({ ...honest(700), head: { ledgerVersion: 2n ** 63n - 1n, timestampUsec: 0n } })).toBe(false);
    expect(guard.accept({ ...honest(800), head: { ledgerVersion: 5_000_000_000n, timestampUsec: 0n } })).toBe(true);
  });

  test.each(absurd)("%s, once: not believed, and the honest answers after it are", (_, change) => {
    const guard = new HeadGuard();
    expect(guard.accept(honest(0))).toBe(true);
    expect(guard.accept(honest(100, change))).toBe(false);
    expect(guard.accept(honest(200))).toBe(true);
    expect(guard.accept(honest(300, change))).toBe(false);
    expect(guard.accept(honest(400))).toBe(true);
  });

  test.each(absurd)("%s, twice in a row: borne out", (_, change) => {
    const guard = new HeadGuard();
    expect(guard.accept(honest(0))).toBe(true);
    expect(guard.accept(honest(100, change))).toBe(false);
    expect(guard.accept(honest(200, change))).toBe(true);
    // A node that went back to what it said before is behind, which is nothing strange.
    expect(guard.accept(honest(300))).toBe(true);
  });

  test.each(absurd)("%s in the very first answer does not open the door to another", (_, change) => {
    const guard = new HeadGuard();
    expect(guard.accept(honest(0, change))).toBe(true);
    expect(guard.accept(honest(100))).toBe(true);
    expect(guard.accept(honest(200, change))).toBe(false);
    expect(guard.accept(honest(300))).toBe(true);
  });

  test("nodes of one address that lag by seconds or by a week take turns and are all believed", () => {
    const guard = new HeadGuard();
    for (const lagMs of [7 * 24 * HOUR_MS, 5_000, 0, 7 * 24 * HOUR_MS, 0, 60_000]) {
      const { head } = honest(-lagMs);
      expect(guard.accept({ head, nowMs: startMs, atMs: 0 })).toBe(true);
    }
  });

  test("a ledger under any pace up to 100,000 versions a second is believed throughout, however the wall clock is set", () => {
    const step = fc.record({ ms: fc.integer({ min: 0, max: HOUR_MS }), perSecond: fc.integer({ min: 0, max: 100_000 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: -1e12, max: 1e12 }), (steps, skewMs) => {
        const guard = new HeadGuard();
        let atMs = 0;
        let version = 0n;
        for (const { ms, perSecond } of steps) {
          atMs += ms;
          version += (BigInt(perSecond) * BigInt(ms)) / 1000n;
          const head = { ledgerVersion: version, timestampUsec: BigInt(startMs + atMs) * 1000n };
          expect(guard.accept({ head, nowMs: startMs + atMs + skewMs, atMs })).toBe(true);
        }
      }),
    );
  });
});

describe("canFollow", () => {
  test("going back is always possible", () => {
    expect(canFollow(honest(HOUR_MS), honest(0))).toBe(true);
  });
});
