import fc from "fast-check";
import { describe, expect } from "vitest";
import { isExact, leastProbes, narrow, nextProbe, type Search } from "../../../src/capabilities/trace/trace.ts";
import { parseAddress } from "../../../src/core/move/address.ts";
import { law } from "../../support/property/law.ts";

const address = parseAddress("0x1") as Search["address"];
const newest = 2n ** 63n;

function search(after: bigint, atOrBefore: bigint, from: string | null, to: string | null): Search {
  return { address, module: "m", after, atOrBefore, from, to, rank: 1, probes: 0, least: leastProbes(after, atOrBefore) };
}

describe("halving", () => {
  const bounds = fc.tuple(
    fc.bigInt({ min: 0n, max: 2n ** 62n }),
    fc.bigInt({ min: 1n, max: 10n ** 9n }),
    fc.bigInt({ min: 1n, max: 10n ** 9n }),
  );

  law("finds the one change in no more probes than the logarithm", 100, [bounds], ([after, length, place]) => {
    const change = after + 1n + (place % length);
    let current = search(after, after + length, "a", "b");
    for (;;) {
      const version = nextProbe(current, 0n, newest);
      if (version === undefined) break;
      [current] = narrow(current, version, version >= change ? "b" : "a") as [Search];
    }
    expect(isExact(current)).toBe(true);
    expect(current.atOrBefore).toBe(change);
    expect(current.probes).toBeLessThanOrEqual(leastProbes(after, after + length));
  });
});
