import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choosePin, PinError } from "../../../src/crawl/night/tonight.ts";

const head = { ledgerVersion: 1_000n, oldestVersion: 100n };

describe("choosePin", () => {
  test("the newest, kept `lag` below the head", () => {
    expect(choosePin(head, { kind: "latest" }, 0n)).toBe(1_000n);
    expect(choosePin(head, { kind: "latest" }, 40n)).toBe(960n);
  });

  test("an exact one, both ends of the window included", () => {
    expect(choosePin(head, { kind: "exact", version: 100n }, 40n)).toBe(100n);
    expect(choosePin(head, { kind: "exact", version: 1_000n }, 40n)).toBe(1_000n);
  });

  test("what is pruned exits as lost and names the oldest", () => {
    const attempt = () => choosePin(head, { kind: "exact", version: 99n }, 0n);
    expect(attempt).toThrow(PinError);
    expect(attempt).toThrow(/oldest readable version is 100/);
    expect(attempt).toThrow(expect.objectContaining({ code: "MOVEDEX_PIN_PRUNED", exit: "lost" }));
    const pruned = expect.objectContaining({ code: "MOVEDEX_PIN_PRUNED" });
    expect(() => choosePin(head, { kind: "behind", versions: 950n }, 0n)).toThrow(pruned);
    expect(() => choosePin(head, { kind: "behind", versions: 5_000n }, 0n)).toThrow(
      "there is no ledger version 5000 versions before the newest, which is 1000. Ask for fewer versions before it",
    );
  });

  test("what does not exist yet is a usage error and names the newest", () => {
    const message = expect.stringContaining("newest is 1000");
    const future = expect.objectContaining({ code: "MOVEDEX_PIN_FUTURE", exit: "failed", message });
    expect(() => choosePin(head, { kind: "exact", version: 1_001n }, 0n)).toThrow(future);
  });

  test("whatever is chosen can be read", () => {
    const version = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(version, version, version, (a, b, lag) => {
        const window = { oldestVersion: a < b ? a : b, ledgerVersion: a < b ? b : a };
        const pin = choosePin(window, { kind: "latest" }, lag);
        expect(pin >= window.oldestVersion && pin <= window.ledgerVersion).toBe(true);
      }),
    );
  });
});
