import { describe, expect, test } from "vitest";
import { addressOf, NOON, temporaryStore } from "../support/temporary-store.ts";

const given = (number: number) => ({ address: addressOf(number), reason: "given", via: null, depth: 0 }) as const;

describe("targets", () => {
  test("are listed in the order of addresses, with the reason each is known for", async () => {
    await using at = await temporaryStore();
    expect(await at.store.hasTargets()).toBe(false);
    const found = { address: addressOf(0x9), reason: "dependency", via: "0x100::app", depth: 1 } as const;
    expect(await at.store.addTargets([given(0x100), found, given(0x100)], NOON)).toBe(2);
    expect(await at.store.listTargets()).toEqual([
      { ...found, addedAt: NOON, removedAt: null },
      { ...given(0x100), addedAt: NOON, removedAt: null },
    ]);
    expect([await at.store.hasTargets(), await at.store.countTargets()]).toEqual([true, 2]);
  });

  test("are removed and taken back, not forgotten", async () => {
    await using at = await temporaryStore();
    await at.store.addTargets([given(1), given(2)], NOON);
    expect(await at.store.removeTargets([addressOf(1), addressOf(3)], NOON + 1)).toBe(1);
    expect(await at.store.removeTargets([addressOf(1)], NOON + 2)).toBe(0);
    expect((await at.store.listTargets()).map(({ address }) => address)).toEqual([addressOf(2)]);
    expect(await at.store.listTargets({ withRemoved: true })).toMatchObject([{ removedAt: NOON + 1 }, { removedAt: null }]);
    expect(await at.store.addTargets([{ ...given(1), reason: "imported" }, given(2)], NOON + 3)).toBe(1);
    expect((await at.store.listTargets())[0]).toMatchObject({
      address: addressOf(1),
      reason: "imported",
      addedAt: NOON + 3,
      removedAt: null,
    });
  });

  test("are walked in pages while the database is written, and planned all at once", async () => {
    await using at = await temporaryStore();
    await at.store.addTargets(
      Array.from({ length: 2500 }, (_, n) => given(n + 1)),
      NOON,
    );
    const pin = { chainId: 4, ledgerVersion: 10n, headVersion: 10n, oldestVersion: 0n, headTimestampUsec: 0n, now: NOON };
    let walked = 0;
    for await (const address of at.store.activeTargets()) {
      if (walked % 500 === 0) await at.store.removeTargets([address], NOON);
      walked += 1;
    }
    expect(walked).toBe(2500);
    expect((await at.store.createPin(pin, "targets")).planned).toBe(2495);
    expect(await at.store.countUnanswered(10n, "targets")).toBe(0);
  });
});
