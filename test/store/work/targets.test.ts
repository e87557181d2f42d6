import { describe, expect, test } from "vitest";
import { addressOf, NOON, temporaryStore } from "../support/temporary-store.ts";

const given = (number: number) => ({ address: addressOf(number), reason: "given", via: null, depth: 0 }) as const;

describe("targets", () => {
  test("are listed in the order of addresses, with the reason each is known for", () => {
    using at = temporaryStore();
    expect(at.store.hasTargets()).toBe(false);
    const found = { address: addressOf(0x9), reason: "dependency", via: "0x100::app", depth: 1 } as const;
    expect(at.store.addTargets([given(0x100), found, given(0x100)], NOON)).toBe(2);
    expect(at.store.listTargets()).toEqual([
      { ...found, addedAt: NOON, removedAt: null },
      { ...given(0x100), addedAt: NOON, removedAt: null },
    ]);
    expect([at.store.hasTargets(), at.store.countTargets()]).toEqual([true, 2]);
    expect(at.store.findTarget(addressOf(0x9))).toMatchObject(found);
    expect(at.store.findTarget(addressOf(0x77))).toBeUndefined();
  });

  test("are removed and taken back, not forgotten", () => {
    using at = temporaryStore();
    at.store.addTargets([given(1), given(2)], NOON);
    expect(at.store.removeTargets([addressOf(1), addressOf(3)], NOON + 1)).toBe(1);
    expect(at.store.removeTargets([addressOf(1)], NOON + 2)).toBe(0);
    expect(at.store.listTargets().map(({ address }) => address)).toEqual([addressOf(2)]);
    expect(at.store.listTargets({ withRemoved: true })).toMatchObject([{ removedAt: NOON + 1 }, { removedAt: null }]);
    expect(at.store.addTargets([{ ...given(1), reason: "imported" }, given(2)], NOON + 3)).toBe(1);
    expect(at.store.findTarget(addressOf(1))).toMatchObject({ reason: "imported", addedAt: NOON + 3, removedAt: null });
  });

  test("can be walked while a snapshot is planned from them", () => {
    using at = temporaryStore();
    at.store.addTargets(
      Array.from({ length: 2500 }, (_, n) => given(n + 1)),
      NOON,
    );
    const pin = { chainId: 4, ledgerVersion: 10n, headVersion: 10n, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON };
    expect(at.store.createPin(pin, at.store.activeTargets()).planned).toBe(2500);
  });
});
