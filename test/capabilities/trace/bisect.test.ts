import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isExact, leastProbes, narrow, nextProbe, type Search } from "../../../src/capabilities/trace/trace-group.ts";
import { parseAddress } from "../../../src/core/move/address.ts";

const address = parseAddress("0x1") as Search["address"];
const newest = 2n ** 63n;
const endless = { oldest: 0n, newest };

function search(after: bigint, atOrBefore: bigint, from: string | null, to: string | null): Search {
  return { address, module: "m", after, atOrBefore, from, to, rank: 1, probes: 0, least: leastProbes(after, atOrBefore) };
}

describe("halving", () => {
  const bounds = fc.tuple(
    fc.bigInt({ min: 0n, max: 2n ** 62n }),
    fc.bigInt({ min: 1n, max: 10n ** 9n }),
    fc.bigInt({ min: 1n, max: 10n ** 9n }),
  );

  test("finds the one change in no more probes than the logarithm", () => {
    fc.assert(
      fc.property(bounds, ([after, length, place]) => {
        const change = after + 1n + (place % length);
        let current = search(after, after + length, "a", "b");
        for (;;) {
          const version = nextProbe(current, endless);
          if (version === undefined) break;
          [current] = narrow(current, version, version >= change ? "b" : "a") as [Search];
        }
        expect(isExact(current)).toBe(true);
        expect(current.atOrBefore).toBe(change);
        expect(current.probes).toBeLessThanOrEqual(leastProbes(after, after + length));
      }),
    );
  });

  test("finds every change of a value that never comes back", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.bigInt({ min: 1n, max: 500n }), { minLength: 1, maxLength: 6 }), (places) => {
        const changes = [...places].sort((a, b) => (a < b ? -1 : 1));
        const valueAt = (version: bigint): string => `${changes.filter((change) => change <= version).length}`;
        let open = [search(0n, 500n, "0", valueAt(500n))];
        const exact: bigint[] = [];
        while (open.length > 0) {
          const [next] = open as [Search];
          const version = nextProbe(next, endless);
          if (version === undefined) exact.push(next.atOrBefore);
          open = version === undefined ? open.slice(1) : open.flatMap((each) => narrow(each, version, valueAt(version)));
        }
        expect(exact.sort((a, b) => (a < b ? -1 : 1))).toEqual(changes);
      }),
    );
  });
});

test("a left end that is gone: only what can be read is halved, down to the horizon", () => {
  const range = { oldest: 900n, newest };
  const seen: bigint[] = [];
  let current = search(100n, 1_000n, "a", "b");
  for (let version = nextProbe(current, range); version !== undefined; version = nextProbe(current, range)) {
    seen.push(version);
    [current] = narrow(current, version, "b") as [Search];
  }
  expect(seen.every((version) => version >= 900n)).toBe(true);
  expect(current).toMatchObject({ after: 100n, atOrBefore: 900n });
});

test("a node that has not reached the right end is asked up to its newest version, and no further", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2_000n }), fc.bigInt({ min: 101n, max: 1_000n }), (head, change) => {
      const range = { oldest: 0n, newest: head };
      let current = search(100n, 1_000n, "a", "b");
      for (let version = nextProbe(current, range); version !== undefined; version = nextProbe(current, range)) {
        expect(version).toBeLessThanOrEqual(head);
        [current] = narrow(current, version, version >= change ? "b" : "a") as [Search];
      }
      if (head >= change) expect(current).toMatchObject({ after: change - 1n, atOrBefore: change });
      else expect(current).toMatchObject({ after: head > 100n ? (head < 999n ? head : change - 1n) : 100n });
    }),
  );
});
