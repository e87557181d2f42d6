import { expect, test } from "vitest";
import { type ListedTarget, targetList } from "../../../src/capabilities/targets/target-list.ts";
import { targetQueries } from "../../../src/core/crawl/targets/targets.ts";
import { planQueries } from "../../../src/core/db/archive/snapshots/plan-queries.ts";
import { snapshotQueries } from "../../../src/core/db/archive/snapshots/snapshot-queries.ts";
import { eachArchive } from "../../engine/support/each-engine.ts";
import { addressOf, NOON, pinAt, temporaryStore } from "../../support/store/temporary-store.ts";

const given = (number: number) => ({ address: addressOf(number), reason: "given", via: null, depth: 0 }) as const;

const listed = async (
  { listTargets }: ReturnType<typeof targetList>,
  options: Parameters<ReturnType<typeof targetList>["listTargets"]>[0] = {},
): Promise<ListedTarget[]> => (await Array.fromAsync(listTargets(options))).flat();

eachArchive("targets", (open) => {
  test("are listed in the order of addresses, with the reason each is known for", async () => {
    await using at = await open();
    const targets = { ...targetQueries(at.engine), ...targetList(at.engine) };
    expect(await targets.hasTargets()).toBe(false);
    const found = { address: addressOf(0x9), reason: "dependency", via: "0x100::app", depth: 1 } as const;
    expect(await targets.addTargets([given(0x100), found], NOON)).toBe(2);
    const asKept = { addedBy: null, label: null, addedAt: NOON, removedAt: null, account: expect.anything(), lastRead: undefined };
    expect(await listed(targets)).toEqual([
      { ...found, ...asKept },
      { ...given(0x100), ...asKept },
    ]);
    expect([await targets.hasTargets(), await targets.countTargets()]).toEqual([true, 2]);
  });

  test("keep who added them and what they are called; a new label takes the place of the old, who added them stays", async () => {
    await using at = await open();
    const targets = { ...targetQueries(at.engine), ...targetList(at.engine) };
    await targets.addTargets([{ ...given(1), addedBy: "ann", label: "coin" }, given(2)], NOON);
    const again = [
      { ...given(1), addedBy: "bob", label: "money" },
      { ...given(2), addedBy: "bob" },
      { ...given(3), addedBy: "bob", label: "pool" },
    ];
    expect(await targets.addTargets(again, NOON + 1)).toBe(1);
    expect((await listed(targets)).map(({ addedBy, label }) => [addedBy, label])).toEqual([
      ["ann", "money"],
      [null, null],
      ["bob", "pool"],
    ]);
    await targets.removeTargets([addressOf(1)], NOON + 2);
    await targets.addTargets([given(1)], NOON + 3);
    expect((await listed(targets))[0]).toMatchObject({ addedBy: null, label: null });
  });

  test("are removed and taken back, not forgotten", async () => {
    await using at = await open();
    const targets = { ...targetQueries(at.engine), ...targetList(at.engine) };
    await targets.addTargets([given(1), given(2)], NOON);
    expect(await targets.removeTargets([addressOf(1), addressOf(3)], NOON + 1)).toBe(1);
    // The same call again, whose COMMIT went unanswered, and another one.
    expect(await targets.removeTargets([addressOf(1), addressOf(3)], NOON + 1)).toBe(1);
    expect(await targets.removeTargets([addressOf(1)], NOON + 2)).toBe(0);
    expect((await listed(targets)).map(({ address }) => address)).toEqual([addressOf(2)]);
    expect(await listed(targets, { withRemoved: true })).toMatchObject([{ removedAt: NOON + 1 }, { removedAt: null }]);
    expect(await targets.addTargets([{ ...given(1), reason: "imported" }, given(2)], NOON + 3)).toBe(1);
    const back = { address: addressOf(1), reason: "imported", addedAt: NOON + 3, removedAt: null };
    expect((await listed(targets))[0]).toMatchObject(back);
  });

  test("that cannot all be had are not added at all", async () => {
    await using at = await open();
    const targets = { ...targetQueries(at.engine), ...targetList(at.engine) };
    const list = function* () {
      for (let n = 1; n <= 3000; n++) yield given(n);
      throw new RangeError("the 3001st");
    };
    await expect(targets.addTargets(list(), NOON)).rejects.toThrow("the 3001st");
    expect(await targets.countTargets()).toBe(0);
    await targets.addTargets([given(1)], NOON);
    expect(await targets.countTargets()).toBe(1);
  });

  test("are listed as they are read: the first come out before the rest were asked for, and who wants no more ends it", async () => {
    await using at = await open();
    const targets = { ...targetQueries(at.engine), ...targetList(at.engine) };
    const many = Array.from({ length: 4500 }, (_, n) => given(n + 1));
    await targets.addTargets(many, NOON);
    let [lists, most] = [0, 0];
    for await (const list of targets.listTargets()) {
      lists++;
      most = Math.max(most, list.length);
      // What is written meanwhile does not wait for the reader, and is not seen by it.
      if (lists === 1) await targets.removeTargets([addressOf(4500)], NOON);
    }
    expect([lists, most]).toEqual([5, 1000]);
    for await (const list of targets.listTargets()) {
      expect(list[0]?.address).toBe(addressOf(1));
      break;
    }
    expect(await targets.countTargets()).toBe(4499);
  });

  test("are walked in pages in the order of their rows, those that came together in that of addresses, while the database is written", async () => {
    await using at = await open();
    const targets = { ...targetQueries(at.engine), ...targetList(at.engine) };
    const many = Array.from({ length: 2500 }, (_, n) => given(2500 - n));
    await targets.addTargets(many, NOON);
    const walked: string[] = [];
    for await (const address of targets.activeTargets()) {
      if (walked.length % 500 === 0) await targets.removeTargets([address], NOON);
      walked.push(address);
    }
    expect(walked).toEqual(Array.from({ length: 2500 }, (_, n) => addressOf(1 + n)));
    expect(await targets.countTargets()).toBe(2495);
  });
});

test("targets are planned all at once", async () => {
  await using at = await temporaryStore();
  await targetList(at.engine).addTargets([given(1), given(2), given(3)], NOON);
  await targetList(at.engine).removeTargets([addressOf(2)], NOON);
  expect((await snapshotQueries(at.engine).createSnapshot(pinAt(10n), "targets")).planned).toBe(2);
  expect(await planQueries(at.engine).countPlan(10n, "targets", "all")).toEqual({ accounts: 0, records: 0 });
});
